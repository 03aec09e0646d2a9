// What is said when a kernel touches memory it must not touch.
#pragma once

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

struct Access {
  const ptx::Instruction* instruction;
  ptx::Space space;
  std::uint64_t address;
  std::uint32_t bytes;
  int lane;
  // Shared memory: the variable that the address was computed from, as far as is known.
  std::uint32_t shared_begin = 0, shared_end = ~0u;
};

[[noreturn]] void throw_misaligned(const Warp& warp, const Access& access);
[[noreturn]] void throw_out_of_bounds(const Warp& warp, const Access& access);

}  // namespace ladder::emulator
