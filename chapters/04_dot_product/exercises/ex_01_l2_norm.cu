//! # Exercise 1: the length of a vector {#dot_product_ex_01}
//! @builds-on step_03_two_level
//! @problem l2_norm
//! @goal global.load.requests == 2050 at N=65536
//! @goal launches == 2 at N=65536
//! @goal differing_repeats == 0
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
    sum += input[i] * input[i];
    // [/hole]
  }
  sum = ladder::block_sum(sum);
  if (threadIdx.x == 0) {
    // [hole partial: 1 line] What does the second level need to know?
    partial[blockIdx.x] = sqrt(sum);
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
    *output = static_cast<float>(sum);
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
