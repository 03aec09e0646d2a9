//! # Mutant: the sum is added to what was in the result
//! @builds-on step_02_fused_block
//! @fails wrong at N=1
//!
//! No accumulator of its own, and no reset: the blocks add to the result as they
//! find it.
#include "common/check.hpp"
#include "common/device/reduction.cuh"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

__global__ void add_up(const float* A, const float* B, float* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? A[i] * B[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(A, B, result, N);
  CUDA_CHECK(cudaGetLastError());
}
