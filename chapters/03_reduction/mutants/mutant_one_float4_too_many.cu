//! # Mutant: the float4 are counted rounded up
//! @builds-on step_05_grid_stride_float4
//! @fails trap at N=5 passes N=4
//!
//! One float4 behind the last whole one is added as well: a part of it twice, the
//! rest from beyond the end.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of a thread, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 3;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // one double: the sum so far

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ double warp_sum(double x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(all_lanes, x, distance);
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ double block_sum(double x) {
  __shared__ double warp_sums[32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : 0.0);
  }
  return x;
}

__device__ float total(float4 x) {
  return (x.x + x.y) + (x.z + x.w);
}

// The sum of what falls to this thread: four float4 in every turn of the grid.
__device__ double thread_sum(const float* input, int N) {
  const float4* fours = reinterpret_cast<const float4*>(input);
  const int64_t count = (N + 3) / 4;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    float4 x[loads];
    for (int j = 0; j < loads; ++j) {
      x[j] = fours[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += total(x[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += total(fours[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  return t < N % 4 ? sum + input[N / 4 * 4 + t] : sum;
}

__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* input, double* sum, int N) {
  const double x = block_sum(thread_sum(input, N));
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* output) {
  *output = static_cast<float>(*sum);
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
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  add_up<<<blocks_for(N), block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
