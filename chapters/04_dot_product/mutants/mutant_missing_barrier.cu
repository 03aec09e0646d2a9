//! # Mutant: the warps' sums are read before they are there
//! @builds-on step_02_fused_block
//! @fails trap racecheck at N=256
//!
//! A sum over the block of its own, and no barrier between the store of a warp's sum
//! and the load by the first warp.
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

// The sum of x over the threads of a block, in thread 0.
__device__ float block_sum(float x) {
  __shared__ float warp_sums[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = ladder::warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  if (threadIdx.x < 32) {
    x = ladder::warp_sum(lane < block_size / 32 ? warp_sums[lane] : 0.0f);
  }
  return x;
}

__global__ void add_up(const float* A, const float* B, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = block_sum(i < N ? A[i] * B[i] : 0.0f);
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
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(A, B, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, result);
  CUDA_CHECK(cudaGetLastError());
}
