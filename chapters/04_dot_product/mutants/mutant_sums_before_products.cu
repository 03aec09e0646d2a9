//! # Mutant: a thread multiplies its sums
//! @builds-on step_03_two_level
//! @fails wrong at N=1000000 passes N=100003
//!
//! It adds up what it has of A, and of B, and multiplies the two. As long as a thread
//! has one element of each, that is the same.
#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int blocks_per_multiprocessor = 4;

ladder::Workspace workspace;  // a double for each block: its sum

// The sum of the products that fall to this thread: one in every turn.
__device__ double thread_sum(const float* A, const float* B, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  double sum_a = 0.0, sum_b = 0.0;
  for (; i < N; i += stride) {
    sum_a += A[i];
    sum_b += B[i];
  }
  return sum_a * sum_b;
}

// partial[b]: the sum of what falls to block b.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* A, const float* B, double* partial, int N) {
  const double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block.
__global__ void finish(const double* partial, float* result, int blocks) {
  double x = 0.0;
  for (int b = threadIdx.x; b < blocks; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = static_cast<float>(x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int blocks =
      ladder::blocks_for(N, block_size, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
