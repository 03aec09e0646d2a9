//! # Mutant: the tail is left out
//! @builds-on step_05_float4
//! @fails wrong at N=257 passes N=256
//!
//! Whole groups of four are added; the one to three elements after the last
//! group are not.
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int block_elements = 4 * block_size;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    const float4 a = *reinterpret_cast<const float4*>(A + first);
    const float4 b = *reinterpret_cast<const float4*>(B + first);
    const float4 c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    *reinterpret_cast<float4*>(C + first) = c;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
