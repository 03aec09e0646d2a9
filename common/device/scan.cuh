// Scans of a warp and of a block: chapter 05, steps 04 and 05.
//
//   const float sum = ladder::scan_warp(x);          // over this lane and those below
//   const float before = ladder::scan_block(warp_sum, block_sum);  // what other warps come to
//
// Every thread of the block has to call scan_block, those without an element too, with a 0. Blocks
// are of whole warps. The order of additions is fixed, so equal inputs give equal bits.
#pragma once

namespace ladder {

// The sum of `sum` over this lane and those below it.
__device__ inline float scan_warp(float sum) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(0xffffffff, sum, distance);
    if (lane >= distance) sum += other;
  }
  return sum;
}

// Lane 31 of each warp brings its warp's sum. Returns what the warps before this one sum to;
// block_sum becomes the sum of all. Not to be called again before a barrier.
__device__ inline float scan_block(float warp_sum, float& block_sum) {
  __shared__ float warp_sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 31) warp_sums[warp] = warp_sum;
  __syncthreads();
  const float sum = scan_warp(lane < blockDim.x / 32 ? warp_sums[lane] : 0.0f);
  block_sum = __shfl_sync(0xffffffff, sum, 31);
  const float before = __shfl_sync(0xffffffff, sum, (warp + 31) % 32);
  return warp == 0 ? 0.0f : before;
}

}  // namespace ladder
