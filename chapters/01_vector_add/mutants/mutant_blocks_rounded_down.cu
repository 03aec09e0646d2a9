//! # Mutant: the number of blocks is rounded down
//! @builds-on step_03_one_thread_per_element
//! @fails wrong at N=257 passes N=256
//!
//! The elements of the last, incomplete block have no thread. One block at
//! least is launched, which hides the fault for N < 256.
#include <algorithm>

#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = std::max(N / block_size, 1);
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
