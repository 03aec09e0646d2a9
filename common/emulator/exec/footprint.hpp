// What the lanes of a warp touch together, as the hardware counts it: sectors of global memory,
// passes of the shared memory's banks. Pure arithmetic, without memory.
//
// The rules are those of an H200, found by measuring access patterns (parity/).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Addresses by lane.
using Addresses = std::array<std::uint64_t, lanes>;

// Disjoint stretches of bytes. Neighbouring lanes, or lanes at one address, share one.
class Stretches {
 public:
  struct Stretch {
    std::uint64_t begin, end;
  };
  // The bytes of the lanes of `mask`.
  Stretches(const Addresses& at, std::uint32_t bytes, std::uint32_t mask);
  const Stretch* begin() const { return at_.data(); }
  const Stretch* end() const { return at_.data() + size_; }
  std::uint32_t bytes() const;

 private:
  void sort();

  std::array<Stretch, lanes> at_;
  int size_ = 0;
};

// Calls visit(first, last) for runs of units of 1 << shift bytes, upwards, each unit once.
template <class Visit>
void for_units(const Stretches& stretches, int shift, Visit visit) {
  std::uint64_t next = 0;
  for (const auto& stretch : stretches) {
    const std::uint64_t first = std::max(next, stretch.begin >> shift);
    const std::uint64_t last = (stretch.end - 1) >> shift;
    if (first > last) continue;
    visit(first, last);
    next = last + 1;
  }
}
inline constexpr int sector_shift = 5;
std::uint32_t sectors_of(const Stretches& stretches);

// Passes of the 32 banks of 4 bytes that a load or store of shared memory takes: the most distinct
// words in one bank. Accesses of 8 bytes go by halves of the warp and those of 16 by quarters, each
// with passes of its own; but two parts that a load has side by side go together if each active
// lane l has the address of lane l ^ 1, or each that of l ^ 2, or that lane is not active.
std::uint32_t load_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask);
std::uint32_t store_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask);
// Of atomic operations: lanes at one address go one after another.
std::uint32_t atomic_wavefronts(const Addresses& at, std::uint32_t bytes, std::uint32_t mask);
// Of cp.async: within each part, a word for every lane leaves its bank and enters another.
std::uint32_t copy_wavefronts(const Addresses& from, const Addresses& to, std::uint32_t bytes,
                              std::uint32_t mask);
// Sectors of atomic operations on global memory, in the same turns.
std::uint32_t atomic_sectors(const Addresses& at, std::uint32_t bytes, std::uint32_t mask);

}  // namespace ladder::emulator
