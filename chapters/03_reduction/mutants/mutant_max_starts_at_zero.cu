//! # Mutant: zero is taken for the smallest number
//! @builds-on ex_01_max
//! @problem max
//! @fails wrong at N=256,distribution=large_offset passes N=256,distribution=random
//!
//! Where no element is above zero, and some thread has none, the largest is 0.
#include <cmath>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // a float for each block: its largest

// What a thread brings that has no element.
constexpr float neutral = 0.0f;

// The largest x of the 32 lanes of a warp, in lane 0.
__device__ float warp_max(float x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_down_sync(all_lanes, x, distance));
  }
  return x;
}

// The largest x of the threads of a block, in thread 0.
__device__ float block_max(float x) {
  __shared__ float warp_maxima[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = warp_max(x);
  if (lane == 0) {
    warp_maxima[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_max(lane < block_size / 32 ? warp_maxima[lane] : neutral);
  }
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
