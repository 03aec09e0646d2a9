//! # Mutant: A is read twice
//! @builds-on step_03_one_thread_per_element
//! @fails wrong at N=1
//!
//! A + A: a slip of copy and paste that every test with A equal to B lets pass.
#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + A[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
