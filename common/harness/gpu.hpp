// Which NVIDIA GPUs this machine has and whether the toolkit's programs can run on them. Asks the
// driver in a child process, so that a broken driver can neither crash nor hang the caller.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/harness/builder.hpp"

namespace ladder {

struct Gpu {
  int index = 0;
  std::string name;      // "NVIDIA H200"
  int architecture = 0;  // 90 for sm_90
  std::size_t memory_bytes = 0;
  std::string pci_bus_id;  // "0000:1B:00.0": CUDA's numbers are not nvidia-smi's
};

struct GpuProbe {
  std::vector<Gpu> gpus;
  int driver_cuda = 0;  // newest CUDA the driver serves, 1000 * major + 10 * minor; 0: no driver
  std::string driver;   // "580.65.06"; empty when unknown
  // Why no GPU can be used, for a learner: "no NVIDIA driver here". Empty: gpus can be used.
  std::string unusable;
};

// Never throws and takes at most `limit_s`. A driver older than the toolkit's major version, and
// cards before Turing (sm_75), make a GPU unusable.
GpuProbe probe_gpus(const Toolkit* toolkit, double limit_s = 20);

// What CUDA_VISIBLE_DEVICES must be for a program to see only the GPU of this index. `visible`: what
// it is now, which the index counts in; nullptr: unset.
std::string visible_device(int index, const char* visible);

}  // namespace ladder
