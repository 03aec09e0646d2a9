//! # Exercise 6: find the bug {#vector_add_ex_06}
//! @builds-on step_05_float4
//! @stub-fails wrong at N=3 N=1025 passes N=257 N=1000
//! @goal global.load.requests == 64 at N=4096
#include "common/check.hpp"

constexpr int block_size = 256;

// [hole all: 1 line of ~25 is wrong] It is right for N = 256, 257, 1000, 1e6.
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
  const int threads = N / 4;  // each takes four elements
  if (threads == 0) return;   // nothing to do
  const int blocks = (threads + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
// [/hole]
