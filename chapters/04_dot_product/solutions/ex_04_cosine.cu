//! # Exercise 4: how alike are two vectors? {#dot_product_ex_04}
//! @builds-on step_03_two_level
//! @problem cosine
//! @goal global.load.requests == 4102 at N=65536
//! @goal launches == 2 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! Three sums, A.B, A.A and B.B, of the same two loads. Three dot products one
//! after the other would read 24 bytes for each element, or 16 with exercise 1;
//! this reads 8, and its arithmetic, six operations for 8 bytes, is hidden behind
//! the reading. Fusing, once more: not of one operation with the next, but of
//! three that share their input.
//!
//! Each block passes on three numbers, and the quotient is made once, at the very
//! end, by one thread. |A| |B| is the product of two roots here. One root of the
//! product of the sums would do as well, with doubles: floats are no larger than
//! 2^128, so that such a product, of four of them and N^2, stays below 2^1024. As
//! floats it would overflow first.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int most_blocks = 64;

struct Sums {  // of the products of A and B, A and A, B and B
  double ab, aa, bb;
};

ladder::Workspace workspace;  // Sums for each block

// Of each of the three over the threads of a block, in thread 0.
__device__ Sums block_sums(Sums x) {
  return {ladder::block_sum(x.ab), ladder::block_sum(x.aa),
          ladder::block_sum(x.bb)};
}

// partial[b]: the sums of what falls to block b.
__global__ void add_up(const float* A, const float* B, Sums* partial, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  Sums sums = {0.0, 0.0, 0.0};
  for (; i < N; i += stride) {
    // [hole products: ~4 lines] Three products, two loads.
    // [stub] sums.ab += A[i] * B[i];
    const double a = A[i], b = B[i];
    sums.ab += a * b;
    sums.aa += a * a;
    sums.bb += b * b;
    // [/hole]
  }
  sums = block_sums(sums);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums;
  }
}

// For one block.
__global__ void finish(const Sums* partial, float* result, int blocks) {
  Sums sums = {0.0, 0.0, 0.0};
  for (int b = threadIdx.x; b < blocks; b += block_size) {
    // [hole second_level: ~3 lines] All three of block b.
    // [stub] sums.ab += partial[b].ab;
    sums.ab += partial[b].ab;
    sums.aa += partial[b].aa;
    sums.bb += partial[b].bb;
    // [/hole]
  }
  sums = block_sums(sums);
  if (threadIdx.x == 0) {
    // [hole cosine: ~2 lines] A.B / (|A| |B|), as a float.
    // [stub] *result = static_cast<float>(sums.ab);
    const double lengths = sqrt(sums.aa) * sqrt(sums.bb);
    *result = static_cast<float>(sums.ab / lengths);
    // [/hole]
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = std::min(needed, most_blocks);
  Sums* partial = workspace.get<Sums>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
