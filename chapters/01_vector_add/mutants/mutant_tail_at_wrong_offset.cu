//! # Mutant: the tail is taken from the wrong place
//! @builds-on step_05_float4
//! @fails wrong at N=5 passes N=3
//!
//! The tail starts after N / 4 groups, at 4 * (N / 4), not at N / 4. For N < 4
//! both are 0, and the extra work elsewhere writes what is there already.
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
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N % 4) {
    const int tail = N / 4 + i;
    C[tail] = A[tail] + B[tail];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
