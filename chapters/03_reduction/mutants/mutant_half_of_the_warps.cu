//! # Mutant: eight of sixteen warps are summed
//! @builds-on step_04_warp_shuffle
//! @fails wrong at N=257 passes N=256
//!
//! The second tree has room for 8 sums, and there are 16.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // one double: the sum so far

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
    x = warp_sum(lane < block_size / 64 ? warp_sums[lane] : 0.0f);
  }
  return x;
}

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = block_sum(i < N ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* output) {
  *output = static_cast<float>(*sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
