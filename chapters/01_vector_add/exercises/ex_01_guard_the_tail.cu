//! # Exercise 1: guard the tail {#vector_add_ex_01}
//! @builds-on step_03_one_thread_per_element
//! @problem relu
//! @stub-fails trap
//! @goal global.load.requests == 128 at N=4096
#include "common/check.hpp"

constexpr int block_size = 256;

// output[i] = max(input[i], 0)
__global__ void relu(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // [hole guard: ~3 lines] Write element i, if there is one.
  output[i] = fmaxf(input[i], 0.0f);
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;  // rounded up
  relu<<<blocks, block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
