//! # Mutant: two elements a turn, the second in the wrong place
//! @builds-on step_04_grid_stride
//! @fails wrong at N=16641 passes N=16640
//!
//! The loop is unrolled by two. The second element lies one grid after the
//! first; one block after it lies an element that another thread has already.
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int blocks = 64;  // 16384 threads

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < N; i += 2 * stride) {
    C[i] = A[i] + B[i];
    const int second = i + blockDim.x;
    if (second < N) C[second] = A[second] + B[second];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
