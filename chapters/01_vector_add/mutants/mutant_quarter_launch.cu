//! # Mutant: a launch of N / 4 threads
//! @builds-on step_05_float4
//! @fails wrong at N=1025 passes N=257
//!
//! The kernel knows the tail, but the thread that should take it is number N /
//! 4, which the launch does not count. It exists by luck unless N / 4 fills the
//! last block.
#include <algorithm>

#include "common/check.hpp"

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    const float4 a = *reinterpret_cast<const float4*>(A + first);
    const float4 b = *reinterpret_cast<const float4*>(B + first);
    const float4 c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    *reinterpret_cast<float4*>(C + first) = c;
  } else {
    for (int i = first; i < N; ++i) {
      C[i] = A[i] + B[i];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int threads = std::max(N / 4, 1);
  const int blocks = (threads + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
