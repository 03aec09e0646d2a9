//! # Mutant: the count goes on from call to call
//! @builds-on step_04_float4_single_pass
//! @fails wrong at N=1
//!
//! On the second call no block draws the last number, and nobody writes the result.
#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of A and of B, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 2;

ladder::Workspace workspace;  // a double for each block: its sum

__device__ float products(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

// The sum of the products that fall to this thread: `loads` float4 of each
// array in every turn of the grid.
__device__ double thread_sum(const float* A, const float* B, int N) {
  const float4* fours_a = reinterpret_cast<const float4*>(A);
  const float4* fours_b = reinterpret_cast<const float4*>(B);
  const int64_t count = N / 4;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    float4 a[loads], b[loads];
    for (int j = 0; j < loads; ++j) {
      a[j] = fours_a[i + j * block_size];
      b[j] = fours_b[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += products(a[j], b[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += products(fours_a[i], fours_b[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  if (t < N % 4) {
    sum += A[4 * count + t] * B[4 * count + t];
  }
  return sum;
}

__device__ unsigned blocks_done = 0;  // 0 again at the end of every call

// Whether all other blocks have written their sums. For whole blocks.
__device__ bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();  // my partial sum, then my count
    last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    __threadfence();  // all counts, then all partial sums
  }
  __syncthreads();
  return last;
}

// partial[b]: the sum of what falls to block b. The last block sums these.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* A, const float* B, double* partial, float* result,
           int N) {
  double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
  if (!is_last_block()) return;
  x = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = static_cast<float>(x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int blocks = ladder::blocks_for(N, 4 * tile, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, result, N);
  CUDA_CHECK(cudaGetLastError());
}
