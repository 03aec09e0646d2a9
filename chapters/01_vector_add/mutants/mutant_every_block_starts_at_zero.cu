//! # Mutant: the grid-stride loop forgets which block it is in
//! @builds-on step_04_grid_stride
//! @fails wrong at N=257 passes N=256
//!
//! All blocks start at element 0 and step by the whole grid, so that what the
//! other blocks should start with is never written.
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int blocks = 64;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x; i < N; i += stride) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
