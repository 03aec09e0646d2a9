// Damaged PTX and damaged fat binaries: each is refused or runs, and the host lives on.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ladder::emulator::fuzz {

struct GarbageRequest {
  double minutes = 1;
  std::uint64_t seed = 1;
  int jobs = 2;
  std::filesystem::path seeds;  // folder with *.ptx to damage, besides random programs
  std::filesystem::path save;   // folder for what kills a process
};

// 0: nothing crashed, hung, or threw what is no Fault. 1: something did.
int garbage(const GarbageRequest& request);

}  // namespace ladder::emulator::fuzz
