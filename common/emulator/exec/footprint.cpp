#include "common/emulator/exec/footprint.hpp"

namespace ladder::emulator {

Stretches::Stretches(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  bool ascending = true;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t begin = at[static_cast<std::size_t>(std::countr_zero(mask))];
    const std::uint64_t end = begin + bytes;
    if (size_ > 0) {
      Stretch& last = at_[static_cast<std::size_t>(size_ - 1)];
      if (begin >= last.begin && begin <= last.end) {
        last.end = std::max(last.end, end);
        continue;
      }
      ascending = ascending && begin > last.end;
    }
    at_[static_cast<std::size_t>(size_++)] = {begin, end};
  }
  if (!ascending) sort();
}

void Stretches::sort() {
  std::sort(at_.begin(), at_.begin() + size_,
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  int kept = 0;
  for (int i = 1; i < size_; ++i) {
    Stretch& last = at_[static_cast<std::size_t>(kept)];
    const Stretch next = at_[static_cast<std::size_t>(i)];
    if (next.begin <= last.end) {
      last.end = std::max(last.end, next.end);
    } else {
      at_[static_cast<std::size_t>(++kept)] = next;
    }
  }
  size_ = kept + 1;
}

std::uint32_t Stretches::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& stretch : *this) sum += stretch.end - stretch.begin;
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t sectors_of(const Stretches& stretches) {
  std::uint32_t sectors = 0;
  for_units(stretches, sector_shift, [&](std::uint64_t first, std::uint64_t last) {
    sectors += static_cast<std::uint32_t>(last - first + 1);
  });
  return sectors;
}

namespace {

// How many words each bank is asked for.
class Banks {
 public:
  void add(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t word = first; word <= last; ++word) ++words_[word % 32];
  }
  std::uint32_t most() const { return *std::max_element(words_.begin(), words_.end()); }

 private:
  std::array<std::uint32_t, 32> words_{};
};

constexpr int word_shift = 2;

std::uint32_t passes_of(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  Banks banks;
  for_units(Stretches(at, bytes, mask), word_shift,
            [&](std::uint64_t first, std::uint64_t last) { banks.add(first, last); });
  return banks.most();
}

// Words of lanes at one address are counted for each of them.
std::uint32_t passes_one_by_one(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  Banks banks;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t begin = at[static_cast<std::size_t>(std::countr_zero(mask))];
    banks.add(begin >> word_shift, (begin + bytes - 1) >> word_shift);
  }
  return banks.most();
}

int parts_of(std::uint32_t bytes) {
  return bytes > 8 ? 4 : bytes > 4 ? 2 : 1;
}

template <class Cost>
std::uint32_t sum_over_parts(int parts, std::uint32_t mask, const Cost& cost) {
  const int lanes_of_part = lanes / parts;
  const std::uint32_t part = parts == 1 ? all_lanes : (1u << lanes_of_part) - 1;
  std::uint32_t sum = 0;
  for (int p = 0; p < parts; ++p) {
    const std::uint32_t some = mask & (part << (p * lanes_of_part));
    if (some != 0) sum += cost(some);
  }
  return sum;
}

bool lanes_agree(const Addresses& at, std::uint32_t mask, int distance) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left), other = lane ^ distance;
    if (((mask >> other) & 1) == 0) continue;
    if (at[static_cast<std::size_t>(lane)] != at[static_cast<std::size_t>(other)]) return false;
  }
  return true;
}

// One lane for every address: the first of those that are left.
std::uint32_t next_turn(const Addresses& at, std::uint32_t left) {
  std::uint32_t turn = 0;
  for (; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    bool taken = false;
    for (std::uint32_t others = turn; others != 0 && !taken; others &= others - 1) {
      taken = at[static_cast<std::size_t>(std::countr_zero(others))] ==
              at[static_cast<std::size_t>(lane)];
    }
    if (!taken) turn |= 1u << lane;
  }
  return turn;
}

}  // namespace

std::uint32_t load_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  int parts = parts_of(bytes);
  if (parts > 1 && (lanes_agree(at, mask, 1) || lanes_agree(at, mask, 2))) parts /= 2;
  return sum_over_parts(parts, mask,
                        [&](std::uint32_t some) { return passes_of(at, bytes, some); });
}

std::uint32_t store_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  return sum_over_parts(parts_of(bytes), mask,
                        [&](std::uint32_t some) { return passes_of(at, bytes, some); });
}

std::uint32_t atomic_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  return passes_one_by_one(at, bytes, mask);
}

std::uint32_t copy_wavefronts(const Addresses& from, const Addresses& to, std::uint32_t bytes,
                              std::uint32_t mask) {
  return sum_over_parts(parts_of(bytes), mask, [&](std::uint32_t some) {
    return std::max(passes_one_by_one(from, bytes, some), passes_one_by_one(to, bytes, some));
  });
}

std::uint32_t atomic_sectors(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  std::uint32_t sectors = 0;
  while (mask != 0) {
    const std::uint32_t turn = next_turn(at, mask);
    sectors += sectors_of(Stretches(at, bytes, turn));
    mask &= ~turn;
  }
  return sectors;
}

}  // namespace ladder::emulator
