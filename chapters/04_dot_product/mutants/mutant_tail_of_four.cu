//! # Mutant: the tail of eights is counted as that of fours
//! @builds-on step_05_half_inputs
//! @problem dot_f16
//! @fails wrong at N=5 passes N=3
//!
//! A load brings eight halves now, and what is left behind the last is still taken
//! for less than four.
#include <cuda_fp16.h>

#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // uint4 of A and of B, asked for together
constexpr int tile = loads * block_size;  // uint4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 2;

ladder::Workspace workspace;  // a double for each block: its sum

// Of eight pairs of halves. A uint4 is 16 bytes that come in one load.
__device__ float products(uint4 a, uint4 b) {
  const half2* x = reinterpret_cast<const half2*>(&a);
  const half2* y = reinterpret_cast<const half2*>(&b);
  float sum = 0.0f;
  for (int k = 0; k < 4; ++k) {
    const float2 p = __half22float2(x[k]), q = __half22float2(y[k]);
    sum += p.x * q.x + p.y * q.y;
  }
  return sum;
}

// The sum of the products that fall to this thread: `loads` uint4, eight
// halves each, of each array in every turn of the grid.
__device__ double thread_sum(const half* A, const half* B, int N) {
  const uint4* eights_a = reinterpret_cast<const uint4*>(A);
  const uint4* eights_b = reinterpret_cast<const uint4*>(B);
  const int64_t count = N / 8;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    uint4 a[loads], b[loads];
    for (int j = 0; j < loads; ++j) {
      a[j] = eights_a[i + j * block_size];
      b[j] = eights_b[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += products(a[j], b[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += products(eights_a[i], eights_b[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  if (t < N % 4) {
    sum += __half2float(A[8 * count + t]) * __half2float(B[8 * count + t]);
  }
  return sum;
}

// partial[b]: the sum of what falls to block b. The last block sums these.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const half* A, const half* B, double* partial, half* result, int N) {
  double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
  if (!ladder::is_last_block()) return;
  x = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = __double2half(x);
  }
}

extern "C" void solve(const half* A, const half* B, half* result, int N) {
  if (N == 0) return;
  const int blocks = ladder::blocks_for(N, 8 * tile, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, result, N);
  CUDA_CHECK(cudaGetLastError());
}
