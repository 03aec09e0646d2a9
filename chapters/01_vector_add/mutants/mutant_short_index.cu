//! # Mutant: an index of 16 bits
//! @builds-on step_03_one_thread_per_element
//! @fails wrong at N=65537 passes N=65536
//!
//! From element 65536 on the index wraps round to 0, and the first elements are
//! written again and again.
#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
