//! # Mutant: a sum of two that relies on their order
//! @builds-on ex_03_compensated
//! @bound compensated
//! @fails wrong at N=1000000,distribution=outlier passes N=1
//!
//! Three operations find what was lost if the first number is the larger one. Of a sum
//! so far and a product that is not always so.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int most_blocks = 64;
constexpr unsigned all_lanes = 0xffffffff;

struct __align__(8) Sum {  // its value is high + low
  float high, low;
};

ladder::Workspace workspace;  // a Sum for each block

// a * b as the rounded product and what the rounding lost.
__device__ Sum two_product(float a, float b) {
  const float product = __fmul_rn(a, b);
  return {product, fmaf(a, b, -product)};
}

// a + b as the rounded sum and what the rounding lost.
__device__ Sum two_sum(float a, float b) {
  const float sum = a + b;
  const float of_b = sum - a;
  return {sum, b - of_b};
}

__device__ Sum add(Sum x, Sum y) {
  const Sum sum = two_sum(x.high, y.high);
  return {sum.high, sum.low + (x.low + y.low)};
}

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ Sum warp_sum(Sum x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const float high = __shfl_down_sync(all_lanes, x.high, distance);
    const float low = __shfl_down_sync(all_lanes, x.low, distance);
    x = add(x, {high, low});
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ Sum block_sum(Sum x) {
  __shared__ Sum warp_sums[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : Sum{0.0f, 0.0f});
  }
  return x;
}

// partial[b]: the sum of what falls to block b.
__global__ void add_up(const float* A, const float* B, Sum* partial, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  Sum x = {0.0f, 0.0f};
  for (; i < N; i += stride) {
    x = add(x, two_product(A[i], B[i]));
  }
  x = block_sum(x);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block of at least as many threads.
__global__ void finish(const Sum* partial, float* result, int blocks) {
  const int b = threadIdx.x;
  const Sum x = block_sum(b < blocks ? partial[b] : Sum{0.0f, 0.0f});
  if (b == 0) {
    *result = x.high + x.low;
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = std::min(needed, most_blocks);
  Sum* partial = workspace.get<Sum>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
