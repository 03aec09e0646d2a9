// The same random programs on two machines.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ladder::emulator::fuzz {

struct DifferentialRequest {
  std::size_t programs = 1000, first = 0;
  std::uint64_t seed = 1;
  int jobs = 2;
  int attempts = 250;             // to make a program that differs smaller
  unsigned deadline_s = 0;        // what has not begun by then is left out; 0: none
  bool on_gpu = false;            // else the emulator against itself, its warps in another order
  std::filesystem::path record;   // a GPU's outputs go there
  std::filesystem::path against;  // ... or come from there
  std::filesystem::path save;     // folder for the kernels that differ, and the count of hits
};

// 0: no difference. 1: some. 6: no GPU.
int differential(const DifferentialRequest& request);

}  // namespace ladder::emulator::fuzz
