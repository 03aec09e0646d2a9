// Counts memory traffic as the hardware does.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/emulator/exec/address_shapes.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/observers.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

bool is_atomic(Traffic traffic) {
  return traffic == Traffic::atomic || traffic == Traffic::float_atomic;
}

// Bytes that lanes touch. Neighbouring lanes, or lanes at one address, share a span.
struct Spans {
  struct Span {
    std::uint64_t begin;
    std::uint32_t bytes;
  };
  std::array<Span, lanes> at;
  int size = 0;

  void add(std::uint64_t begin, std::uint32_t bytes) {
    at[static_cast<std::size_t>(size++)] = {begin, bytes};
  }
};

// One bit a unit (a sector, a word, an element), 32 to a row, from the lowest one touched on.
class Touched {
 public:
  static constexpr std::uint64_t most_rows = 2048;  // as words: all of a block's shared memory

  // False: the spans lie too far apart.
  bool mark(const Spans& spans, std::uint32_t unit_bytes) {
    const auto shift = std::countr_zero(unit_bytes);  // a power of two
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (int i = 0; i < spans.size; ++i) {
      const auto& span = spans.at[static_cast<std::size_t>(i)];
      low = std::min(low, (span.begin >> shift));
      high = std::max(high, ((span.begin + span.bytes - 1) >> shift));
    }
    const std::uint64_t base = low / 32 * 32;
    if ((high - base) / 32 >= most_rows) return false;
    used_ = static_cast<std::size_t>((high - base) / 32 + 1);
    std::fill_n(rows_.begin(), used_, 0u);
    for (int i = 0; i < spans.size; ++i) {
      const auto& span = spans.at[static_cast<std::size_t>(i)];
      const std::uint64_t first = (span.begin >> shift) - base;
      const std::uint64_t last = ((span.begin + span.bytes - 1) >> shift) - base;
      for (std::uint64_t r = first / 32; r <= last / 32; ++r) {
        const std::uint32_t from = r == first / 32 ? first % 32 : 0;
        const std::uint32_t to = r == last / 32 ? last % 32 : 31;
        rows_[r] |= (~0u >> (31 - (to - from))) << from;
      }
    }
    return true;
  }
  int count() const {
    int sum = 0;
    for (std::size_t r = 0; r < used_; ++r) sum += std::popcount(rows_[r]);
    return sum;
  }
  // The most rows in which one column has a bit: adds all columns at once, bit by bit.
  int most_in_a_column() const {
    std::array<std::uint32_t, 8> planes{};
    for (std::size_t r = 0; r < used_; ++r) {
      std::uint32_t carry = rows_[r];
      for (std::size_t p = 0; carry != 0; ++p) {
        const std::uint32_t next = planes[p] & carry;
        planes[p] ^= carry;
        carry = next;
      }
    }
    int most = 0;
    std::uint32_t leaders = ~0u;
    for (std::size_t p = planes.size(); p-- > 0;) {
      if ((planes[p] & leaders) == 0) continue;
      leaders &= planes[p];
      most |= 1 << p;
    }
    return most;
  }

 private:
  std::array<std::uint32_t, most_rows> rows_;
  std::size_t used_ = 0;
};

// Distinct units of `unit` bytes that the spans touch.
int distinct(const Spans& spans, std::uint32_t unit) {
  Touched touched;
  if (touched.mark(spans, unit)) return touched.count();
  std::vector<std::uint64_t> units;
  for (int i = 0; i < spans.size; ++i) {
    const auto& span = spans.at[static_cast<std::size_t>(i)];
    const std::uint64_t last = (span.begin + span.bytes - 1) / unit;
    for (std::uint64_t u = span.begin / unit; u <= last; ++u) units.push_back(u);
  }
  std::sort(units.begin(), units.end());
  return static_cast<int>(std::unique(units.begin(), units.end()) - units.begin());
}

int distinct_bytes(const Spans& spans, std::uint32_t bytes) {
  return distinct(spans, bytes) * static_cast<int>(bytes);
}

// Passes of the shared memory's 32 banks of 4 bytes: the most distinct words in one bank, for
// accesses of any width (measured on an H200).
int wavefronts(const Spans& spans) {
  Touched touched;
  // Too far apart for shared memory: the access is out of bounds and will say so.
  return touched.mark(spans, 4) ? touched.most_in_a_column() : 0;
}

// The hardware adds floats of one address one after another, each with a sector of its own; integers
// of one address are added together first.
int atomic_sectors(const Spans& spans, bool is_float) {
  if (!is_float) return distinct(spans, 32);
  Spans rest = spans;
  int sectors = 0;
  while (rest.size > 0) {
    Spans once, again;
    for (int i = 0; i < rest.size; ++i) {
      const auto& span = rest.at[static_cast<std::size_t>(i)];
      const auto end = once.at.begin() + once.size;
      const bool is_new = std::find_if(once.at.begin(), end, [&](const auto& other) {
                            return other.begin == span.begin;
                          }) == end;
      (is_new ? once : again).add(span.begin, span.bytes);
    }
    sectors += distinct(once, 32);
    rest = again;
  }
  return sectors;
}

void count_global(Counters& counters, const WarpAccess& access, const Spans& spans) {
  const Traffic traffic = access.traffic;
  const std::uint32_t bytes = access.bytes;
  const std::uint64_t request = access.continues ? 0 : 1;
  if (is_atomic(traffic)) {
    ++counters.global_atomic_requests;
    counters.global_atomic_sectors +=
        static_cast<std::uint64_t>(atomic_sectors(spans, traffic == Traffic::float_atomic));
    return;
  }
  const auto sectors = static_cast<std::uint64_t>(distinct(spans, 32));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(spans, bytes) + 31) / 32);
  if (traffic == Traffic::store) {
    counters.global_store_requests += request;
    counters.global_store_sectors += sectors;
    counters.global_store_sectors_ideal += ideal;
  } else {
    counters.global_load_requests += request;
    counters.global_load_sectors += sectors;
    counters.global_load_sectors_ideal += ideal;
  }
}

// Atomics on shared memory have counters of their own on the hardware.
void count_shared(Counters& counters, const WarpAccess& access, const Spans& spans) {
  const Traffic traffic = access.traffic;
  const std::uint32_t bytes = access.bytes;
  const std::uint64_t request = access.continues ? 0 : 1;
  if (is_atomic(traffic)) return;
  const auto passes = static_cast<std::uint64_t>(wavefronts(spans));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(spans, bytes) + 127) / 128);
  if (traffic == Traffic::store) {
    counters.shared_store_requests += request;
    counters.shared_store_wavefronts += passes;
    counters.shared_store_wavefronts_ideal += ideal;
  } else {
    counters.shared_load_requests += request;
    counters.shared_load_wavefronts += passes;
    counters.shared_load_wavefronts_ideal += ideal;
  }
}

// The lanes' bytes; neighbours, or lanes at one address, as one span (but each lane of an atomic
// counts for itself).
Spans spans_of(const WarpAccess& access) {
  Spans spans;
  const bool merge = access.stride != Warp::no_stride && !is_atomic(access.traffic);
  if (merge) {
    const std::uint32_t width = access.stride == 0 ? access.bytes : chunk * access.bytes;
    for (std::size_t c = 0; c < lanes; c += chunk) spans.add(access.address[c], width);
    return spans;
  }
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    spans.add(access.address[static_cast<std::size_t>(std::countr_zero(left))], access.bytes);
  }
  return spans;
}

class BlockCounter : public BlockObserver {
 public:
  explicit BlockCounter(Counters& counters) : counters_(counters) {}

  void access(const WarpAccess& access) override {
    if (access.space == Space::local) return;
    const Spans spans = spans_of(access);
    (access.space == Space::shared ? count_shared : count_global)(counters_, access, spans);
  }

 private:
  Counters& counters_;
};

class Counter : public Observer {
 public:
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    return std::make_unique<BlockCounter>(block.worker.counters);
  }
};

}  // namespace

std::unique_ptr<Observer> make_counter() {
  return std::make_unique<Counter>();
}

}  // namespace ladder::emulator
