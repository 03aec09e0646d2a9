//! # Mutant: of equal elements any one is taken
//! @builds-on ex_05_argmax
//! @problem argmax
//! @fails wrong at N=257,distribution=constant passes N=257,distribution=random
//!
//! The index has no say. Where all values differ, nobody notices.
#include <climits>
#include <cmath>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;
constexpr unsigned all_lanes = 0xffffffff;

struct __align__(8) Candidate {  // so that it is loaded as one
  float value;
  int index;
};

ladder::Workspace workspace;  // a candidate for each block

// What a thread brings that has no element.
__device__ Candidate nothing() {
  return {-INFINITY, INT_MAX};
}

// The one with the larger value; of equals, the one that comes first.
__device__ Candidate better(Candidate a, Candidate b) {
  return a.value > b.value ? a : b;
}

// The best of the 32 lanes of a warp, in lane 0.
__device__ Candidate warp_best(Candidate x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const float value = __shfl_down_sync(all_lanes, x.value, distance);
    const int index = __shfl_down_sync(all_lanes, x.index, distance);
    x = better(x, {value, index});
  }
  return x;
}

// The best of the threads of a block, in thread 0.
__device__ Candidate block_best(Candidate x) {
  __shared__ Candidate warp_results[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = warp_best(x);
  if (lane == 0) {
    warp_results[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_best(lane < block_size / 32 ? warp_results[lane] : nothing());
  }
  return x;
}

// partial[b]: the best of what falls to block b.
__global__ void first_pass(const float* input, Candidate* partial, int N) {
  const int stride = gridDim.x * blockDim.x;
  Candidate x = nothing();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
    x = better(x, {input[i], i});
  }
  x = block_best(x);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

__global__ void second_pass(const Candidate* partial, int* output, int count) {
  Candidate x = nothing();
  for (int b = threadIdx.x; b < count; b += block_size) {
    x = better(x, partial[b]);
  }
  x = block_best(x);
  if (threadIdx.x == 0) {
    *output = x.index;
  }
}

extern "C" void solve(const float* input, int* output, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = needed < 1024 ? needed : 1024;
  Candidate* partial = workspace.get<Candidate>(blocks);
  first_pass<<<blocks, block_size>>>(input, partial, N);
  CUDA_CHECK(cudaGetLastError());
  second_pass<<<1, block_size>>>(partial, output, blocks);
  CUDA_CHECK(cudaGetLastError());
}
