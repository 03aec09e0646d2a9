//! # Mutant: the guard lets one too many through
//! @builds-on step_03_one_thread_per_element
//! @fails trap at N=257 passes N=256
//!
//! `<=` for `<`: thread N works on element N, one past the end. Where N is a
//! multiple of the block size there is no thread N.
#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= N) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
