//! # Ceiling: CUB {#prefix_sum_ceiling_cub}
//! @needs sm_90
//!
//! cub::DeviceScan::InclusiveSum, from NVIDIA's library of parallel primitives,
//! called the ordinary way: ask how much temporary storage it wants, keep that,
//! call. It is a decoupled look-back too: a first kernel resets the tiles' states,
//! a second one scans.
//!
//! CUB chooses its tile sizes when it is compiled, for the architecture that it is
//! compiled for. The steps are compiled for sm_75 and then translated for the GPU
//! at hand; CUB treated so would use an old card's sizes on an H200 and take a
//! fifth more time there. Hence `sm_90`: a ceiling should be what the library can do.
#include <cub/device/device_scan.cuh>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

ladder::Workspace workspace;

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  size_t bytes = 0;
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, input, output, N));
  char* storage = workspace.get<char>(bytes);
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, input, output, N));
}
