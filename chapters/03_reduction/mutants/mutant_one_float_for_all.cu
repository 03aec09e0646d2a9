//! # Mutant: the sum is kept in a float
//! @builds-on step_01_atomic_per_element
//! @fails wrong at N=1000000,distribution=large_offset passes N=4099
//!
//! Once the sum is past 2^29 its neighbours are 64 apart, and each 10 000 that is
//! added counts as 9984: errors that all point the same way.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // one float: the sum so far

__global__ void add_up(const float* input, float* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    atomicAdd(sum, input[i]);
  }
}

__global__ void store(const float* sum, float* output) {
  *output = static_cast<float>(*sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  float* sum = workspace.get<float>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(float)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
