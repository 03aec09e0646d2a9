#include "common/emulator/exec/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/emulator/exec/address_shapes.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

Traffic traffic_of(const ptx::Instruction& instruction) {
  const std::string_view text = instruction.opcode;
  const auto head = text.substr(0, text.find('.'));
  if (head == "st") return Traffic::store;
  if (head != "atom" && head != "red") return Traffic::load;
  const bool is_float = text.substr(text.rfind('.') + 1).find('f') != std::string_view::npos;
  return is_float ? Traffic::float_atomic : Traffic::atomic;
}

bool is_atomic(const Inst& inst) {
  return inst.traffic == Traffic::atomic || inst.traffic == Traffic::float_atomic;
}

std::uint32_t lane_bytes(const Inst& inst) {
  return inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
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

void count_global(Counters& counters, const Inst& inst, const Spans& spans) {
  const std::uint32_t bytes = lane_bytes(inst);
  if (is_atomic(inst)) {
    ++counters.global_atomic_requests;
    counters.global_atomic_sectors +=
        static_cast<std::uint64_t>(atomic_sectors(spans, inst.traffic == Traffic::float_atomic));
    return;
  }
  const auto sectors = static_cast<std::uint64_t>(distinct(spans, 32));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(spans, bytes) + 31) / 32);
  if (inst.traffic == Traffic::load) {
    ++counters.global_load_requests;
    counters.global_load_sectors += sectors;
    counters.global_load_sectors_ideal += ideal;
  } else {
    ++counters.global_store_requests;
    counters.global_store_sectors += sectors;
    counters.global_store_sectors_ideal += ideal;
  }
}

// Atomics on shared memory have counters of their own on the hardware.
void count_shared(Counters& counters, const Inst& inst, const Spans& spans) {
  if (is_atomic(inst)) return;
  const std::uint32_t bytes = lane_bytes(inst);
  const auto passes = static_cast<std::uint64_t>(wavefronts(spans));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(spans, bytes) + 127) / 128);
  if (inst.traffic == Traffic::load) {
    ++counters.shared_load_requests;
    counters.shared_load_wavefronts += passes;
    counters.shared_load_wavefronts_ideal += ideal;
  } else {
    ++counters.shared_store_requests;
    counters.shared_store_wavefronts += passes;
    counters.shared_store_wavefronts_ideal += ideal;
  }
}

// Eight lanes in one of the common shapes, as one span; false: another shape.
template <class A>
bool add_chunk(Spans& spans, const A* at, std::uint64_t offset, std::uint32_t bytes) {
  const auto first = static_cast<A>(at[0] + static_cast<A>(offset));
  if (strided(at, at[0], A{0})) {
    spans.add(first, bytes);
  } else if (strided(at, at[0], static_cast<A>(bytes))) {
    spans.add(first, chunk * bytes);
  } else {
    return false;
  }
  return true;
}

void counted(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto space = static_cast<Space>(inst.space);
  const std::uint32_t bytes = lane_bytes(inst);
  const bool in_one_space = space == Space::shared || space == Space::global;
  const bool spans_merge = in_one_space && !is_atomic(inst);
  const auto offset = static_cast<std::uint64_t>(inst.immediate);
  Spans global, shared;
  for (int c = 0; c < lanes; c += chunk) {
    const std::uint32_t some = (mask >> c) & 0xff;
    if (some == 0xff && spans_merge) {
      const std::byte* row = rows + inst.s[0];
      if (space == Space::shared
              ? add_chunk(shared, reinterpret_cast<const std::uint32_t*>(row) + c, offset, bytes)
              : add_chunk(global, reinterpret_cast<const std::uint64_t*>(row) + c, offset, bytes)) {
        continue;
      }
    }
    for (std::uint32_t left = some; left != 0; left &= left - 1) {
      const std::uint64_t at = lane_address(rows, inst, c + std::countr_zero(left));
      const std::uint64_t window = space == Space::generic ? at & window_mask : 0;
      if (window == local_window) continue;
      if (space == Space::shared || window == shared_window) {
        shared.add(at & ~window_mask, bytes);
      } else {
        global.add(at, bytes);
      }
    }
  }
  if (global.size > 0) count_global(warp.worker.counters, inst, global);
  if (shared.size > 0) count_shared(warp.worker.counters, inst, shared);
  inst.operation(rows, inst, warp, mask);
}

}  // namespace

void add(Counters& sum, const Counters& more) {
  sum.warp_instructions += more.warp_instructions;
  sum.thread_instructions += more.thread_instructions;
  sum.global_load_requests += more.global_load_requests;
  sum.global_load_sectors += more.global_load_sectors;
  sum.global_store_requests += more.global_store_requests;
  sum.global_store_sectors += more.global_store_sectors;
  sum.global_atomic_requests += more.global_atomic_requests;
  sum.global_atomic_sectors += more.global_atomic_sectors;
  sum.shared_load_wavefronts += more.shared_load_wavefronts;
  sum.shared_store_wavefronts += more.shared_store_wavefronts;
  sum.shared_load_requests += more.shared_load_requests;
  sum.shared_store_requests += more.shared_store_requests;
  sum.barriers += more.barriers;
  sum.global_load_sectors_ideal += more.global_load_sectors_ideal;
  sum.global_store_sectors_ideal += more.global_store_sectors_ideal;
  sum.shared_load_wavefronts_ideal += more.shared_load_wavefronts_ideal;
  sum.shared_store_wavefronts_ideal += more.shared_store_wavefronts_ideal;
}

void add_counting(Inst& inst) {
  if (inst.bytes == 0 || static_cast<Space>(inst.space) == Space::local) return;
  inst.traffic = traffic_of(*inst.source);
  inst.operation = inst.all;
  inst.some = inst.all = &counted;
}

}  // namespace ladder::emulator
