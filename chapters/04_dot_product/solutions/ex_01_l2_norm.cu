//! # Exercise 1: the length of a vector {#dot_product_ex_01}
//! @builds-on step_03_two_level
//! @problem l2_norm
//! @goal global.load.requests == 2050 at N=65536
//! @goal launches == 2 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! The length is the root of a sum, and a root of a sum is no sum of roots. So
//! what goes from level to level has to be the sum of squares, and the root is
//! taken once, by the one thread that knows the whole sum. The stub is right as
//! long as there is one block, and a block has 512 elements.
//!
//! Each element is loaded once, though it is used twice. (Step 03 with `input` for
//! both arrays would load it twice: the second time from the cache, mostly, but
//! loads are instructions that have to be issued.)
//!
//! A square, which the stub makes as a float, needs twice the exponent of what
//! is squared: 10^20 is a float, its square is not. As doubles the squares of
//! *all* floats are numbers, and exact ones at that. BLAS, whose norm of doubles has
//! no larger type to go to, scales by the largest element so far.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int most_blocks = 64;

ladder::Workspace workspace;  // a double for each block

// partial[b]: what block b has to tell of its elements.
__global__ void add_up(const float* input, double* partial, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  double sum = 0.0;
  for (; i < N; i += stride) {
    // [hole square: ~2 lines] Is the square of every float a float?
    // [stub] sum += input[i] * input[i];
    const double x = input[i];
    sum += x * x;
    // [/hole]
  }
  sum = ladder::block_sum(sum);
  if (threadIdx.x == 0) {
    // [hole partial: 1 line] What does the second level need to know?
    // [stub] partial[blockIdx.x] = sqrt(sum);
    partial[blockIdx.x] = sum;
    // [/hole]
  }
}

// For one block.
__global__ void finish(const double* partial, float* output, int blocks) {
  double sum = 0.0;
  for (int b = threadIdx.x; b < blocks; b += block_size) {
    sum += partial[b];
  }
  sum = ladder::block_sum(sum);
  if (threadIdx.x == 0) {
    // [hole length: 1 line] The length, as a float.
    // [stub] *output = static_cast<float>(sum);
    *output = static_cast<float>(sqrt(sum));
    // [/hole]
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = std::min(needed, most_blocks);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(input, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, output, blocks);
  CUDA_CHECK(cudaGetLastError());
}
