// What the lanes of a warp touch together, as the hardware counts it: sectors of global memory, passes
// of the shared memory's banks. Pure arithmetic, without memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Disjoint stretches of bytes. Neighbouring lanes, or lanes at one address, share one.
class Stretches {
 public:
  struct Stretch {
    std::uint64_t begin, end;
  };
  void add(std::uint64_t begin, std::uint64_t bytes) {
    const std::uint64_t end = begin + bytes;
    if (size_ > 0) {
      Stretch& last = at_[static_cast<std::size_t>(size_ - 1)];
      if (begin >= last.begin && begin <= last.end) {
        last.end = std::max(last.end, end);
        return;
      }
      ascending_ = ascending_ && begin > last.end;
    }
    at_[static_cast<std::size_t>(size_++)] = {begin, end};
  }
  // In ascending order, once all have been added.
  void settle() {
    if (!ascending_) sort();
  }
  const Stretch* begin() const { return at_.data(); }
  const Stretch* end() const { return at_.data() + size_; }

 private:
  void sort();

  std::array<Stretch, lanes> at_;
  int size_ = 0;
  bool ascending_ = true;
};

// Of settled stretches.
std::uint32_t bytes_of(const Stretches& stretches);
// Calls visit(first, last) for runs of units of 1 << shift bytes, each unit once.
template <class Visit>
inline void for_units(const Stretches& stretches, int shift, Visit visit) {
  std::uint64_t next = 0;
  for (const auto& stretch : stretches) {
    const std::uint64_t first = std::max(next, stretch.begin >> shift);
    const std::uint64_t last = (stretch.end - 1) >> shift;
    if (first > last) continue;
    visit(first, last);
    next = last + 1;
  }
}
// Passes of the 32 banks of 4 bytes: the most distinct words in one bank, for accesses of any width.
std::uint32_t wavefronts_of(const Stretches& stretches);

// Lanes at base + lane * stride, stride not 0, each with `bytes` bytes at a multiple of that.
struct Strided {
  std::uint64_t base;
  std::int64_t stride;
  std::uint32_t bytes;

  std::uint64_t lowest() const {
    return stride < 0 ? base + static_cast<std::uint64_t>((lanes - 1) * stride) : base;
  }
  std::uint64_t span() const {
    return static_cast<std::uint64_t>(stride < 0 ? -stride : stride) * (lanes - 1) + bytes;
  }
  // Whether the sectors between the first and the last are all touched.
  bool touches_every_sector() const { return stride <= 32 && stride >= -32; }
  std::uint32_t sectors() const {
    if (!touches_every_sector()) return lanes;
    return static_cast<std::uint32_t>(((lowest() + span() - 1) >> 5) - (lowest() >> 5) + 1);
  }
  // 0: not known in closed form.
  std::uint32_t wavefronts() const {
    if (stride % 4 == 0) {
      return 1u << std::min(std::countr_zero(static_cast<std::uint64_t>(stride / 4)), 5);
    }
    return stride < 4 && stride > -4 ? 1 : 0;
  }
};

}  // namespace ladder::emulator
