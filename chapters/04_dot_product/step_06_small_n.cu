//! # Step 06: when the launch is all there is {#dot_product_step_06}
//! @builds-on step_04_float4_single_pass
//! @bound tight
//! @new   one block, latency, a choice by size
//! @claim differing_repeats == 0
//! @claim launches == 1 at N=5
//! @claim instructions.warp <= 0.2 x step_04 at N=5
//! @claim barriers == 2 at N=5
//! @claim fences == 0 at N=5
//! @claim global.atom.requests == 0 at N=5
//! @claim global.load.requests == 1 x step_04 at N=2^22
//!
//! **Idea.** For five elements there is no bandwidth to speak of. What counts is how
//! long it takes until one thread has the result: the launch, and then each thing
//! that has to wait for another. So look for the longest chain, and cut it.
//!
//! In step 04 a block loads its elements, sums them, writes the sum, waits until
//! all can see it, draws a number, and loads the sum again if it is the last. Of
//! these the loads, the wait and the draw are journeys to the memory or the L2 and
//! back, one after the other, and a journey takes longer than all of the
//! arithmetic. All but the first serve to find out which block is the last. Where
//! there is one block, it is.
//!
//! So for few elements there is a kernel of its own: one block, which loads, sums
//! and writes. No workspace, no counter, no fence.
//!
//! **As short as can be.** Each thread has two float4 of each array, which
//! `load_float4` of chapter 1 (common/device/float4.cuh) brings, with zeros from
//! behind the end. So there is no loop, and no tail to come after one. With 1024
//! threads that is good for 8192 elements. And no more warps are launched than
//! have something to load: those without would still have to come to the barrier.
//!
//! **Which N is small?** Step 04 takes a second block from 8193 on, so 8192 is
//! where its machinery begins to be of use at all. In a trial on the H200 one block
//! whose threads loop was quicker still at twice as many, and no more at four times
//! as many: one multiprocessor cannot ask for enough at a time.
//!
//! **Who chooses?** The host, which knows N before it launches anything. A library
//! has many more such cases; each is code to be tested, so each should be worth it.
//!
//! **Cost.** One launch, one journey to the memory, one sum over a block.
//!
//! **Predict.** An empty kernel is the floor. How much of what is above it is the
//! first load from a memory that has nothing in its caches?
//!
//! **Try.** For N up to 32 let one warp do it, without block_sum and its barriers.
//! What is gained?
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/float4.cuh"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of A and of B, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 2;
constexpr int most_threads = 1024;         // of a block
constexpr int few = 2 * 4 * most_threads;  // elements: two float4 a thread

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

// The same for few elements, in one block, which has nobody to wait for.
__global__ void __launch_bounds__(most_threads)
    add_up_few(const float* A, const float* B, float* result, int N) {
  const int i = 4 * threadIdx.x;
  const int k = i + 4 * blockDim.x;
  const float4 a = ladder::load_float4(A, i, N);
  const float4 b = ladder::load_float4(B, i, N);
  const float4 c = ladder::load_float4(A, k, N);
  const float4 d = ladder::load_float4(B, k, N);
  double x = products(a, b);
  x += products(c, d);
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = static_cast<float>(x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  if (N <= few) {
    const int warps = (N + 127) / 128;  // with four elements for each lane
    add_up_few<<<1, std::min(32 * warps, most_threads)>>>(A, B, result, N);
    CUDA_CHECK(cudaGetLastError());
    return;
  }
  const int blocks = ladder::blocks_for(N, 4 * tile, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, result, N);
  CUDA_CHECK(cudaGetLastError());
}
