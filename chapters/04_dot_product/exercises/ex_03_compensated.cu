//! # Exercise 3: keep what rounding throws away {#dot_product_ex_03}
//! @builds-on step_03_two_level
//! @bound compensated
//! @new   error-free transformation, two_sum, two_product, compensated sum
//! @goal global.load.requests == 4098 at N=65536
//! @goal flops.f64 == 0 at N=65536
//! @goal differing_repeats == 0
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
  // [hole product: ~2 lines] fmaf(a, b, c) is a * b + c with one rounding.
  return {a * b, 0.0f};
  // [/hole]
}

// a + b as the rounded sum and what the rounding lost.
__device__ Sum two_sum(float a, float b) {
  // [hole sum: ~4 lines] Which part of b arrived in the sum, which part of a?
  return {a + b, 0.0f};
  // [/hole]
}

__device__ Sum add(Sum x, Sum y) {
  const Sum sum = two_sum(x.high, y.high);
  // [hole add: 1 line] Three losses are to be carried on.
  return sum;
  // [/hole]
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
