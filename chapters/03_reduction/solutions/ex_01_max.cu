//! # Exercise 1: the largest {#reduction_ex_01}
//! @builds-on step_06_two_pass
//! @problem max
//! @goal global.load.sectors == ideal at N=65536
//! @goal shuffles == 11565 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! What 0 is to addition, minus infinity is to max: the one value that never
//! wins. With 0 in its place an array of negative numbers has the maximum 0, at
//! every N at which some thread has no element.
//!
//! The tree does not care what it combines, as long as the operation is
//! *associative*: max, min, product, and, or. Max is exact as well, so here any
//! order at all gives the same bits.
#include <cmath>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // a float for each block: its largest

// What a thread brings that has no element.
// [hole neutral: 1 line] For which x is max(x, y) == y, whatever y is?
// [stub] constexpr float neutral = 0.0f;
constexpr float neutral = -INFINITY;
// [/hole]

// The largest x of the 32 lanes of a warp, in lane 0.
__device__ float warp_max(float x) {
  // [hole warp: ~3 lines] Five shuffles.
  for (int distance = 16; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_down_sync(all_lanes, x, distance));
  }
  // [/hole]
  return x;
}

// The largest x of the threads of a block, in thread 0.
__device__ float block_max(float x) {
  __shared__ float warp_maxima[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = warp_max(x);
  // [hole block: ~7 lines] The warps' results by way of shared memory.
  if (lane == 0) {
    warp_maxima[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_max(lane < block_size / 32 ? warp_maxima[lane] : neutral);
  }
  // [/hole]
  return x;
}

// partial[b]: the largest of what falls to block b.
__global__ void find_max(const float* input, float* partial, int N) {
  const int stride = gridDim.x * blockDim.x;
  float x = neutral;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
    x = fmaxf(x, input[i]);
  }
  x = block_max(x);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = needed < 1024 ? needed : 1024;
  float* partial = workspace.get<float>(blocks);
  find_max<<<blocks, block_size>>>(input, partial, N);
  CUDA_CHECK(cudaGetLastError());
  find_max<<<1, block_size>>>(partial, output, blocks);
  CUDA_CHECK(cudaGetLastError());
}
