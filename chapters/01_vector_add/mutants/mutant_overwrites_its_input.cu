//! # Mutant: the sum is made in place
//! @builds-on step_03_one_thread_per_element
//! @fails wrong at N=1
//!
//! C is right, but A has become C: the caller's input is gone.
#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    A[i] += B[i];
    C[i] = A[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(const_cast<float*>(A), B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
