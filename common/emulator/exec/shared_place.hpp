// What lies at an address of a block's shared memory, by the names that the program gave it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

struct SharedVariable {
  std::string name;  // as in the source, without its function: "tile"; "" for dynamic memory
  std::uint32_t begin = 0, bytes = 0;
};

// What a launch has in shared memory, by address: the static variables of a kernel and of what it
// calls, then the dynamic memory.
std::vector<SharedVariable> shared_variables(const LaunchState& launch);

// Where `bytes` bytes of a launch's shared memory lie, in words: "12 bytes into the 1024-byte
// __shared__ variable 'tile' (index 3 of its 4-byte elements)", "right after ...".
std::string shared_place(const LaunchState& launch, std::uint64_t address, std::uint32_t bytes);
// The same, seen from one variable, which the address need not lie in.
std::string place_from(const SharedVariable& variable, std::uint64_t address, std::uint32_t bytes);

}  // namespace ladder::emulator
