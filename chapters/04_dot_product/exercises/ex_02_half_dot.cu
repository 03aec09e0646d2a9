//! # Exercise 2: halves that add up {#dot_product_ex_02}
//! @builds-on step_05_half_inputs
//! @problem dot_f16
//! @goal global.load.requests == 2050 at N=65536
//! @goal flops.f16 == 0 at N=65536
//! @goal differing_repeats == 0
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
  half2 sums = __float2half2_rn(0.0f);
  for (; i < N / 2; i += stride) {
    sums = __hfma2(pairs_a[i], pairs_b[i], sums);
  }
  return __low2float(sums) + __high2float(sums);
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
