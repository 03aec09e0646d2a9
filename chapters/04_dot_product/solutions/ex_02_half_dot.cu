//! # Exercise 2: halves that add up {#dot_product_ex_02}
//! @builds-on step_05_half_inputs
//! @problem dot_f16
//! @goal global.load.requests == 2050 at N=65536
//! @goal flops.f16 == 0 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! A half has 11 bits. Once a sum is 2048 times as large as what is added to it,
//! adding changes nothing, and long before that every addition loses bits of the
//! smaller number, always the same way if the numbers are alike. Zero-mean data
//! hide it, for such errors cancel; the judge's case large_offset does not.
//!
//! The *product* of two halves, in contrast, has at most 22 bits and fits a float
//! exactly. The two products of a pair are added as floats, with one rounding, and
//! pair after pair goes into a double, as in step 05. (One float for all of a
//! thread's pairs is the same mistake again, with larger numbers.)
//!
//! `__hfma2` does two products and sums in one instruction. It gains nothing
//! here: memory decides, and two conversions more are free. Where arithmetic
//! decides, tensor cores do what this exercise does: they multiply halves and
//! add in floats.
//!
//! For an odd N one half is left behind the last pair, for the first thread of
//! the grid.
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
  // [hole sum: ~10 lines] Right for ten numbers. For how many is it not?
  // [stub] half2 sums = __float2half2_rn(0.0f);
  // [stub] for (; i < N / 2; i += stride) {
  // [stub]   sums = __hfma2(pairs_a[i], pairs_b[i], sums);
  // [stub] }
  // [stub] return __low2float(sums) + __high2float(sums);
  const int first = i;
  double sum = 0.0;
  for (; i < N / 2; i += stride) {
    const float2 x = __half22float2(pairs_a[i]);
    const float2 y = __half22float2(pairs_b[i]);
    sum += x.x * y.x + x.y * y.y;
  }
  if (first == 0 && N % 2 == 1) {
    sum += __half2float(A[N - 1]) * __half2float(B[N - 1]);
  }
  return sum;
  // [/hole]
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
