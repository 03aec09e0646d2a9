// What the registers held where two machines parted.
#pragma once

#include <filesystem>

#include "common/emulator/fuzz/program.hpp"

namespace ladder::emulator::fuzz {

// Prints the first statement of the program that left something else on the GPU whose outputs are
// in `recording`, with the values of its operands before it in the thread where that was seen.
int explain(u64 seed, std::size_t index, const std::filesystem::path& recording);

}  // namespace ladder::emulator::fuzz
