// Which stamps are fine at a glance, for one cell or for eight at once: what nobody touched, what
// the block's last barrier orders, what the thread did itself, what its warp did before it met
// last. Everything else takes the long way through BlockOrder::knows.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <cstring>

#include "common/emulator/observers/racecheck_stamp.hpp"

namespace ladder::emulator {

// Stamps side by side: eight of cells, four of sectors or one.
using Stamps = Stamp __attribute__((vector_size(32)));
using FourStamps = Stamp __attribute__((vector_size(16)));
using OneStamp = Stamp __attribute__((vector_size(4)));
inline constexpr std::size_t stamps_at_once = 8;

template <class Some>
Some load_stamps(const Stamp* from) {
  Some stamps;
  std::memcpy(&stamps, from, sizeof stamps);
  return stamps;
}
template <class Some>
void store_stamps(Stamp* to, Some stamps) {
  std::memcpy(to, &stamps, sizeof stamps);
}
template <class Some>
bool all_set(Some mask) {  // each is 0 or ~0
#ifdef __AVX2__
  if constexpr (sizeof mask == 32) return _mm256_movemask_epi8((__m256i)mask) == -1;
#endif
  std::uint32_t parts[sizeof mask / 4];
  std::memcpy(parts, &mask, sizeof mask);
  std::uint32_t all = ~std::uint32_t{0};
  for (const std::uint32_t part : parts) all &= part;
  return all == ~std::uint32_t{0};
}
// Of a vector of comparisons, as stamps.
template <class Some, class Compared>
bool all_hold(Compared compared) {
  return all_set((Some)compared);
}

// Seen by one warp. Stamps from `from` on, `own` of them, are its block's; the first `ordered` of
// these stand before the block's last barrier.
struct StampWindow {
  Stamp floor;  // stamps below are of launches before, or of the block that was here before
  Stamp from, ordered, own;
  Stamp together;  // the warp's own below it stand before its last __syncwarp
  static constexpr Stamp warp = (thread_bits & ~lane_bits) | several_warps;

  template <class Stampish>
  auto in_order(Stampish stamp) const {
    return (stamp < floor) | (stamp - from < ordered);
  }
  template <class Stampish>
  auto of_block(Stampish stamp) const {
    return stamp - from < own;
  }
  // `mine`: a stamp of the warp's thread that asks.
  template <class Stampish>
  auto of_thread(Stampish stamp, Stampish mine) const {
    constexpr Stamp who = (Stamp{1} << stamp_bits) - 1;
    return of_block(stamp) & (((stamp ^ mine) & who) == 0);
  }
  template <class Stampish>
  auto of_warp(Stampish stamp, Stampish mine) const {
    return of_block(stamp) & (((stamp ^ mine) & warp) == 0);
  }
  template <class Stampish>
  auto fine(Stampish stamp, Stampish mine) const {
    return in_order(stamp) | of_thread(stamp, mine) | (of_warp(stamp, mine) & (stamp < together));
  }
  // What remains of an earlier reader of the block and a later one, in no order.
  template <class Stampish>
  Stampish both_readers(Stampish earlier, Stampish mine) const {
    constexpr Stamp epoch = ~((Stamp{1} << stamp_bits) - 1);
    const Stampish a = earlier & epoch, b = mine & epoch;
    const Stampish newest = a > b ? a : b;
    const auto one_warp = ((earlier ^ mine) & warp) == 0;
    const Stampish several = one_warp ? Stampish{} + several_lanes : Stampish{} + several_warps;
    return newest | (mine & thread_bits) | several;
  }
};

}  // namespace ladder::emulator
