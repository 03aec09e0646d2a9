//! # Mutant: the sum is added to what was in the output
//! @builds-on step_05_grid_stride_float4
//! @fails wrong at N=1
//!
//! No accumulator of its own, and no reset: the blocks add to the output as they
//! find it.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of a thread, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 3;
constexpr unsigned all_lanes = 0xffffffff;

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(all_lanes, x, distance);
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ float block_sum(float x) {
  __shared__ float warp_sums[32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : 0.0f);
  }
  return x;
}

__device__ float4 add(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// The sum of what falls to this thread: four float4 in every turn of the grid.
__device__ float thread_sum(const float* input, int N) {
  const float4* fours = reinterpret_cast<const float4*>(input);
  const int64_t count = N / 4;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  float4 sum[loads] = {};
  for (; i + (loads - 1) * block_size < count; i += stride) {
    float4 x[loads];
    for (int j = 0; j < loads; ++j) {
      x[j] = fours[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum[j] = add(sum[j], x[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum[0] = add(sum[0], fours[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  const float tail = t < N % 4 ? input[4 * count + t] : 0.0f;
  const float4 s = add(add(sum[0], sum[1]), add(sum[2], sum[3]));
  return (s.x + s.y) + (s.z + s.w) + tail;
}

__global__ void add_up(const float* input, float* sum, int N) {
  const float x = block_sum(thread_sum(input, N));
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

// Enough blocks for N elements, and no more than the machine is to hold.
int blocks_for(int N) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors,
                                    cudaDevAttrMultiProcessorCount, device));
  const int needed = (N + 4 * tile - 1) / (4 * tile);
  return std::min(needed, blocks_per_multiprocessor * multiprocessors);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  add_up<<<blocks_for(N), block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
