//! # Mutant: the sum goes on from call to call
//! @builds-on step_02_fused_block
//! @fails wrong at N=1
//!
//! Nobody sets the accumulator to zero. Fresh memory often holds zeros, so that a
//! test which calls once does not notice.
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* A, const float* B, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? A[i] * B[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* result) {
  *result = static_cast<float>(*sum);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(A, B, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, result);
  CUDA_CHECK(cudaGetLastError());
}
