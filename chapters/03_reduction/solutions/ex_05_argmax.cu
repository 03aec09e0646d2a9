//! # Exercise 5: where is the largest? {#reduction_ex_05}
//! @builds-on step_06_two_pass
//! @problem argmax
//! @goal global.load.sectors == ideal at N=65536
//! @goal shuffles == 23130 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! A pair of value and index goes through the tree, and the operation decides
//! between equal values by the index. That makes it *commutative*: it does not
//! matter which of the two stands left. In this tree it could not be done
//! without, since a grid-stride loop does not hand out elements in order: the
//! right hand side of a shuffle may well have the smaller index.
//!
//! The neutral pair has the smallest value and the largest index, so it loses
//! against every element, even against minus infinity.
//!
//! `__shfl_down_sync` moves 32 bits, so a pair takes two.
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
  // [hole neutral: 1 line] Loses against every element.
  // [stub] return {0.0f, 0};
  return {-INFINITY, INT_MAX};
  // [/hole]
}

// The one with the larger value; of equals, the one that comes first.
__device__ Candidate better(Candidate a, Candidate b) {
  // [hole better: ~4 lines] What if the values are equal?
  // [stub] return a.value > b.value ? a : b;
  if (a.value != b.value) {
    return a.value > b.value ? a : b;
  }
  return a.index < b.index ? a : b;
  // [/hole]
}

// The best of the 32 lanes of a warp, in lane 0.
__device__ Candidate warp_best(Candidate x) {
  // [hole warp: ~5 lines] Both members have to travel.
  for (int distance = 16; distance > 0; distance /= 2) {
    const float value = __shfl_down_sync(all_lanes, x.value, distance);
    const int index = __shfl_down_sync(all_lanes, x.index, distance);
    x = better(x, {value, index});
  }
  // [/hole]
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
