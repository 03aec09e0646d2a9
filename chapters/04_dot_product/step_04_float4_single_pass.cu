//! # Step 04: one pass at the speed of the memory {#dot_product_step_04}
//! @builds-on step_03_two_level
//! @bound tight
//! @new   float4 of two arrays, last block, one launch
//! @claim differing_repeats == 0
//! @claim launches == 1 at N=2^22
//! @claim global.load.requests == 65545 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//! @claim global.atom.requests == 264 at N=2^22
//! @claim fences == 528 at N=2^22
//! @claim flops.f64 <= 0.32 x step_03 at N=2^22
//! @claim instructions.warp <= 0.55 x step_03 at N=2^22
//!
//! **Idea.** The two things that made chapter 3's sum as fast as the memory: load
//! float4, several before the first is used, and let the block that finishes last
//! do the second level (`is_last_block` of common/device/reduction.cuh), so that
//! one launch is enough.
//!
//! **Two arrays.** A thread asks for four float4 of A and four of B before it
//! multiplies any: 128 bytes, in 32 registers, of the 64 that two blocks of 512
//! leave to each thread. That is 128 KB under way for a multiprocessor. Memory does
//! not care which array they are from.
//!
//! **fma.** The compiler makes a multiplication and the addition behind it into
//! one instruction, `fma`, with one rounding. Of the four products in `products`
//! two go into an fma as they are; only the other two are rounded. The pairs are
//! added as floats too, and from there on everything goes as doubles. So step 03,
//! which adds nothing but doubles, is a little more exact, and this one makes a
//! quarter of the conversions.
//!
//! **The tail.** Both arrays are aligned to 16 bytes, as all that cudaMalloc
//! returns; of other pointers, such as A + 1, a float4 cannot be loaded (the GPU
//! reports a misaligned address). Up to three elements are left behind the last
//! whole float4, and the first N % 4 threads of the grid take one each.
//!
//! **Cost.** 8 bytes an element, in a quarter of the requests. One launch, and an
//! atomic and two fences for each block.
//!
//! **What was tried.** In a trial on the H200 most shapes were alike: one to four
//! float4 of each array, blocks of 128 to 1024 threads, few of them for each
//! multiprocessor or several times as many, loads a whole grid apart, the next
//! tile's loads before this tile's sums. This one was at the lower end. Three
//! things were clearly slower. Cache hints, `__ldcs` and others, which gave away
//! about what this step is ahead of cublasSdot. A block for each tile in place of a
//! loop, the more so the smaller the tile, as then every tile takes part in the
//! second level. And, in some shapes, one contiguous stretch of both arrays for
//! each block.
//!
//! **And step 03?** It is close behind, as its page shows. Its loop loads one
//! float of each array, but the compiler has unrolled it four times, so that eight
//! loads of each of 2048 threads may be under way. To look at the source is not
//! enough.
//!
//! **Predict.** Nothing is left but the reading. How far from a copy of as many
//! bytes can it be, which has to write half of them?
//!
//! **Try.** `#pragma unroll 1` before the loop of step 03. How many bytes are under
//! way now, and is it still as close?
#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of A and of B, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 2;

ladder::Workspace workspace;  // a double for each block: its sum

__device__ float products(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

// The sum of the products that fall to this thread: `loads` float4 of each
// array in every turn of the grid.
__device__ double thread_sum(const float* A, const float* B, int N) {
  const float4* fours_a = reinterpret_cast<const float4*>(A);
  const float4* fours_b = reinterpret_cast<const float4*>(B);
  const int64_t count = N / 4;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    float4 a[loads], b[loads];
    for (int j = 0; j < loads; ++j) {
      a[j] = fours_a[i + j * block_size];
      b[j] = fours_b[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += products(a[j], b[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += products(fours_a[i], fours_b[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  if (t < N % 4) {
    sum += A[4 * count + t] * B[4 * count + t];
  }
  return sum;
}

// partial[b]: the sum of what falls to block b. The last block sums these.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* A, const float* B, double* partial, float* result,
           int N) {
  double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
  if (!ladder::is_last_block()) return;
  x = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = static_cast<float>(x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int blocks = ladder::blocks_for(N, 4 * tile, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, result, N);
  CUDA_CHECK(cudaGetLastError());
}
