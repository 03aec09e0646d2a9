//! # Exercise 1: guard the tail {#vector_add_ex_01}
//! @builds-on step_03_one_thread_per_element
//! @problem relu
//! @stub-fails trap
//! @goal global.load.requests == 128 at N=4096
//! @solution
//!
//! The grid is rounded up to whole blocks, so up to 255 threads of the last
//! block have no element. Each thread asks, and those without one do nothing.
//! `i < N`, not `i <= N`: the last element is number N - 1.
//!
//! The guard costs next to nothing. All warps but the last agree on its answer,
//! and a branch that a whole warp takes the same way does not slow it down.
#include "common/check.hpp"

constexpr int block_size = 256;

// output[i] = max(input[i], 0)
__global__ void relu(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // [hole guard: ~3 lines] Write element i, if there is one.
  // [stub] output[i] = fmaxf(input[i], 0.0f);
  if (i < N) {
    output[i] = fmaxf(input[i], 0.0f);
  }
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;  // rounded up
  relu<<<blocks, block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
