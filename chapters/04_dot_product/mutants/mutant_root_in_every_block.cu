//! # Mutant: the roots are summed
//! @builds-on ex_01_l2_norm
//! @problem l2_norm
//! @fails wrong at N=513 passes N=512
//!
//! Every block takes the root of what it has, and the lengths are added. With one
//! block it is right.
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
    const double x = input[i];
    sum += x * x;
  }
  sum = ladder::block_sum(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sqrt(sum);
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
    *output = static_cast<float>(sum);
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
