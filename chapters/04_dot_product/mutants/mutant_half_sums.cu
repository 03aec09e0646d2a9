//! # Mutant: the sum is kept in halves
//! @builds-on ex_02_half_dot
//! @problem dot_f16
//! @fails wrong at N=1000000,distribution=large_offset passes N=4099
//!
//! Two halves a thread, for the pairs that fall to it. What is added is lost bit by
//! bit as the sum grows; zero-mean numbers hide it.
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024
constexpr int most_blocks = 64;

ladder::Workspace workspace;  // a double for each block: its sum

// The sum of the products that fall to this thread: one pair in every turn.
__device__ double thread_sum(const half* A, const half* B, int N) {
  const half2* pairs_a = reinterpret_cast<const half2*>(A);
  const half2* pairs_b = reinterpret_cast<const half2*>(B);
  const int stride = gridDim.x * block_size;
  int i = blockIdx.x * block_size + threadIdx.x;
  const int first = i;
  half2 sums = __float2half2_rn(0.0f);
  for (; i < N / 2; i += stride) {
    sums = __hfma2(pairs_a[i], pairs_b[i], sums);
  }
  float sum = __low2float(sums) + __high2float(sums);
  if (first == 0 && N % 2 == 1) {
    sum += __half2float(A[N - 1]) * __half2float(B[N - 1]);
  }
  return sum;
}

// partial[b]: the sum of what falls to block b.
__global__ void add_up(const half* A, const half* B, double* partial, int N) {
  const double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block.
__global__ void finish(const double* partial, half* result, int blocks) {
  double x = threadIdx.x < blocks ? partial[threadIdx.x] : 0.0;
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = __double2half(x);
  }
}

extern "C" void solve(const half* A, const half* B, half* result, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = std::min(needed, most_blocks);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
