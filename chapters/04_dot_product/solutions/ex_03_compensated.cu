//! # Exercise 3: keep what rounding throws away {#dot_product_ex_03}
//! @builds-on step_03_two_level
//! @bound compensated
//! @new   error-free transformation, two_sum, two_product, compensated sum
//! @goal global.load.requests == 4098 at N=65536
//! @goal flops.f64 == 0 at N=65536
//! @goal differing_repeats == 0
//! @solution
//!
//! What an addition of two floats loses is itself a float, and so is what a
//! multiplication loses. A handful of further operations find it, exactly: these
//! are *error-free transformations*. Carry the losses along in a second sum, add
//! them in at the end, and the result is about as good as if everything had been
//! done with twice the bits and then rounded. (Ogita, Rump and Oishi, *Accurate
//! Sum and Dot Product*, 2005, who call it Dot2; two_sum is Knuth's.)
//!
//! `two_sum` asks what became of b: s - a is the part of b that arrived in the
//! sum, and s - (that part) is the part of a. What is left of both was lost.
//!
//! `two_product` needs one instruction: fma(a, b, -p) computes a b - p with one
//! rounding, and as the difference is a float, with none.
//!
//! **Why __fmul_rn?** Everything rests on p being *the rounded product*. Where a
//! compiler sees a * b and then that product added to a sum, it may make one fma
//! of the two, and the sum has seen another product than the one whose loss was
//! computed. `nvcc` may do so, here or for the next GPU; `__fmul_rn` is never
//! merged with anything. (A compiler that may reorder floats as if they were real
//! numbers, as some do on request, finds that all these losses are 0. nvcc does
//! not.)
//!
//! **Is it worth it?** On an H200 doubles do the same with less text: the product
//! of two floats is exact as a double. On the cards that most people have, doubles
//! are 64 times slower than floats, and about a dozen operations on floats are the
//! cheaper way. And where the input is double already, there is nothing larger.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int most_blocks = 64;
constexpr unsigned all_lanes = 0xffffffff;

struct __align__(8) Sum {  // its value is high + low
  float high, low;
};

ladder::Workspace workspace;  // a Sum for each block

// a * b as the rounded product and what the rounding lost.
__device__ Sum two_product(float a, float b) {
  // [hole product: ~2 lines] fmaf(a, b, c) is a * b + c with one rounding.
  // [stub] return {a * b, 0.0f};
  const float product = __fmul_rn(a, b);
  return {product, fmaf(a, b, -product)};
  // [/hole]
}

// a + b as the rounded sum and what the rounding lost.
__device__ Sum two_sum(float a, float b) {
  // [hole sum: ~4 lines] Which part of b arrived in the sum, which part of a?
  // [stub] return {a + b, 0.0f};
  const float sum = a + b;
  const float of_b = sum - a;
  const float of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
  // [/hole]
}

__device__ Sum add(Sum x, Sum y) {
  const Sum sum = two_sum(x.high, y.high);
  // [hole add: 1 line] Three losses are to be carried on.
  // [stub] return sum;
  return {sum.high, sum.low + (x.low + y.low)};
  // [/hole]
}

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ Sum warp_sum(Sum x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const float high = __shfl_down_sync(all_lanes, x.high, distance);
    const float low = __shfl_down_sync(all_lanes, x.low, distance);
    x = add(x, {high, low});
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ Sum block_sum(Sum x) {
  __shared__ Sum warp_sums[block_size / 32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : Sum{0.0f, 0.0f});
  }
  return x;
}

// partial[b]: the sum of what falls to block b.
__global__ void add_up(const float* A, const float* B, Sum* partial, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  Sum x = {0.0f, 0.0f};
  for (; i < N; i += stride) {
    x = add(x, two_product(A[i], B[i]));
  }
  x = block_sum(x);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block of at least as many threads.
__global__ void finish(const Sum* partial, float* result, int blocks) {
  const int b = threadIdx.x;
  const Sum x = block_sum(b < blocks ? partial[b] : Sum{0.0f, 0.0f});
  if (b == 0) {
    *result = x.high + x.low;
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int needed = (N + block_size - 1) / block_size;
  const int blocks = std::min(needed, most_blocks);
  Sum* partial = workspace.get<Sum>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
