// What one warp knows of what others did before: a sparse vector clock. An entry says that all
// accesses of a thread, a warp or a whole block before an epoch are ordered before the warp's own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/emulator/observers/racecheck_stamp.hpp"

namespace ladder::emulator {

struct ClockEntry {
  std::uint64_t who;
  Epoch before;
};
using Clock = std::vector<ClockEntry>;              // sorted by who; all of one block side by side
using ClockPointer = std::shared_ptr<const Clock>;  // nullptr: knows nothing

constexpr std::uint64_t who_block(std::uint64_t block) {
  return block << 11;
}
constexpr std::uint64_t who_warp(std::uint64_t block, unsigned warp) {
  return block << 11 | (1 + warp);
}
constexpr std::uint64_t who_thread(std::uint64_t block, unsigned thread) {
  return block << 11 | (64 + thread);
}

// Both together; one of the two itself where it says all.
ClockPointer joined(const ClockPointer& a, const ClockPointer& b);
// With more entries, in any order.
ClockPointer with(const ClockPointer& clock, Clock more);
// Without the entries of a block.
ClockPointer without(const ClockPointer& clock, std::uint64_t block);

enum class Knowledge { none, partial, full };
// What a clock knows of an access by `block`. Of several threads it may know some: partial.
Knowledge knowledge_of(const Clock& clock, std::uint64_t block, Stamp stamp);

}  // namespace ladder::emulator
