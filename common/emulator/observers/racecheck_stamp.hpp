// Who touched a place last, and when, in 32 bits.
//
// Time is counted in epochs: a warp gets a new one at each synchronisation, a whole block at each
// barrier that all its threads passed. Epochs are numbered through a launch, so one names its
// block.
#pragma once

#include <cstdint>

namespace ladder::emulator {

using Epoch = std::uint32_t;  // 0: never
using Stamp = std::uint32_t;  // epoch << stamp_bits | who

inline constexpr int stamp_bits = 12;
inline constexpr Stamp thread_bits = 0x3ff;   // of its block
inline constexpr Stamp lane_bits = 0x1f;      // of these, the lane
inline constexpr Stamp several_lanes = 1024;  // a read: several threads of this warp
inline constexpr Stamp several_warps = 2048;  // a read: several warps of the block

// A write that cp.async has begun and that nobody has waited for; below it all other stamps.
inline constexpr Stamp in_flight = 0xfffff000;
// Reads by several blocks: ReadSets knows which.
inline constexpr Stamp many_blocks = 0xffffffff;
inline constexpr Epoch last_epoch = 0xffff0;

constexpr Epoch epoch_of(Stamp stamp) {
  return stamp >> stamp_bits;
}
constexpr unsigned thread_of(Stamp stamp) {
  return stamp & thread_bits;
}

// An instruction, as the shadow keeps it: LaunchRaces::site numbers them.
using SiteNumber = std::uint32_t;
inline constexpr SiteNumber strong_site = 0x80000000;  // the access was volatile, relaxed or atomic

}  // namespace ladder::emulator
