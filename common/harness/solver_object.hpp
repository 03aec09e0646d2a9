// Looks into a compiled solver without running any of it.
#pragma once

#include <filesystem>

namespace ladder {

// Whether the ELF shared object or program holds device code but takes no CUDA runtime from the
// outside: nvcc's default, which neither the emulator nor --cudart can replace. False for
// anything that is not a whole 64-bit ELF file.
bool has_static_cuda_runtime(const std::filesystem::path& object);

}  // namespace ladder
