//! # Exercise 6: find the bug {#vector_add_ex_06}
//! @builds-on step_05_float4
//! @stub-fails wrong at N=3 N=1025 passes N=257 N=1000
//! @goal global.load.requests == 64 at N=4096
//! @solution
//!
//! The launch counted whole groups of four, N / 4, and the thread that would
//! have taken the rest was number N / 4: one more. It exists by luck, whenever
//! the last block has room to spare. It is missing where N / 4 is a multiple of
//! 256, as at N = 1025, and at N = 1, 2, 3 the early return hid it altogether.
//!
//! Round the number of threads up as well as the number of blocks. Then the
//! early return is what it seemed to be, the case of nothing to do.
#include "common/check.hpp"

constexpr int block_size = 256;

// [hole all: 1 line of ~25 is wrong] It is right for N = 256, 257, 1000, 1e6.
// [stub] __global__ void vector_add(const float* A, const float* B, float* C, int N) {
// [stub]   const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
// [stub]   if (first + 3 < N) {
// [stub]     const float4 a = *reinterpret_cast<const float4*>(A + first);
// [stub]     const float4 b = *reinterpret_cast<const float4*>(B + first);
// [stub]     const float4 c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
// [stub]     *reinterpret_cast<float4*>(C + first) = c;
// [stub]   } else {
// [stub]     for (int i = first; i < N; ++i) {
// [stub]       C[i] = A[i] + B[i];
// [stub]     }
// [stub]   }
// [stub] }
// [stub]
// [stub] extern "C" void solve(const float* A, const float* B, float* C, int N) {
// [stub]   const int threads = N / 4;  // each takes four elements
// [stub]   if (threads == 0) return;   // nothing to do
// [stub]   const int blocks = (threads + block_size - 1) / block_size;
// [stub]   vector_add<<<blocks, block_size>>>(A, B, C, N);
// [stub]   CUDA_CHECK(cudaGetLastError());
// [stub] }
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
  const int threads = (N + 3) / 4;  // each takes four elements or fewer
  if (threads == 0) return;         // nothing to do
  const int blocks = (threads + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
// [/hole]
