//! # Mutant: divided by the number of threads
//! @builds-on ex_02_mean
//! @problem mean
//! @fails wrong at N=257 passes N=256
//!
//! N is rounded up to whole blocks. Where it is a multiple of the block size, it
//! makes no difference.
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store_mean(const double* sum, float* output, int N) {
  *output = static_cast<float>(*sum / N);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store_mean<<<1, 1>>>(sum, output, blocks * block_size);
  CUDA_CHECK(cudaGetLastError());
}
