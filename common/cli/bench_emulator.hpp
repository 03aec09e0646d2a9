// The part of `ladder bench` that measures the emulator instead of a GPU.
#pragma once

#include "common/cli/commands.hpp"

namespace ladder::cli {

// Kernels by the names in common/emulator/kernels/kernels.txt; none: all that have a size there.
int bench_emulator(const BenchRequest& request);

}  // namespace ladder::cli
