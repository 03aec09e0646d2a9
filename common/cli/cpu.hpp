// What the CPU here can do for the emulator.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli {

// Which of the instructions that the faster emulator is built with (AVX2 and what came with it)
// a /proc/cpuinfo does not name: "bmi2 movbe", "" when all are there. The launcher asks the same.
std::string lacking_vectors(std::string_view cpuinfo);

}  // namespace ladder::cli
