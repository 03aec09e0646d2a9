// Sums over a warp and over a block, and who is the last block: chapter 03, steps 04 and 07.
//
//   const float sum = ladder::block_sum(x);       // of the block's threads, in thread 0
//   if (threadIdx.x == 0) partial[blockIdx.x] = sum;
//   if (ladder::is_last_block()) { ... }          // all of `partial` is there
//
// Every thread of the block has to call them, those without an element too, with a 0. Blocks are
// of whole warps. The order of additions is fixed, so equal inputs give equal bits.
#pragma once

#include "common/check.hpp"

namespace ladder {

// The sum of x over the 32 lanes of a warp, in lane 0. T: float, double, int, ...
template <class T>
__device__ T warp_sum(T x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(0xffffffff, x, distance);
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0. May be called again.
template <class T>
__device__ T block_sum(T x) {
  __shared__ T warp_sums[32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) warp_sums[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) x = warp_sum(lane < blockDim.x / 32 ? warp_sums[lane] : T(0));
  __syncthreads();
  return x;
}

static __device__ unsigned blocks_done = 0;  // 0 again when the last block is known

// Whether all other blocks of a one-dimensional grid have come here as well. What thread 0 of each
// wrote before is then seen by every thread of the last. Once a launch, and not in two kernels that
// run at the same time.
__device__ inline bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

}  // namespace ladder
