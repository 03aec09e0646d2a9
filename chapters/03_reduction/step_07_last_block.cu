//! # Step 07: the last block does the rest {#reduction_step_07}
//! @builds-on step_06_two_pass
//! @bound tight
//! @new   __threadfence, atomicInc, __device__ variable, one launch
//! @claim differing_repeats == 0
//! @claim launches == 1 at N=2^22
//! @claim global.atom.requests == 396 at N=2^22
//! @claim fences == 792 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//!
//! **Idea.** Save the second launch. The block that finishes last finds all
//! other blocks' sums already there, and can do the second pass itself.
//!
//! Who is last is found out by counting. Thread 0 of every block writes its sum
//! and then takes a number from a counter in global memory: `atomicInc(&c, top)`
//! returns the old count and adds one, or goes back to 0 when it was at `top`.
//! The block that draws gridDim.x - 1 is the last, and *its* draw has reset the
//! counter: nothing has to be cleared before the next call, no memset. (A
//! `__device__` variable lives as long as the program and starts as 0.)
//!
//! **The fence.** The last block must see every other block's sum. But a
//! block's two writes, first its sum and then the count, need not become
//! visible in the order in which they were made. `__threadfence()` between them
//! says: whoever sees what I write from here on sees what I wrote before. The
//! reader has a fence as well, between the count that it drew and the sums that
//! it reads, or it might use what it had fetched earlier. Leave one out, and it
//! works on most days.
//!
//! **Still deterministic.** *Which* block is the last differs from run to run.
//! But any block adds the partial sums in the same order, by their numbers.
//!
//! `block_sum` is called twice now, on the same shared memory. A quick warp
//! must not write its second sum while the first warp still reads the first
//! ones; the barrier in `is_last_block` lies between. In
//! `common/device/reduction.cuh`, where these functions have moved to,
//! `block_sum` has a barrier of its own at its end.
//!
//! **Cost.** One launch. The atomics are back, one for each block, but spread
//! over the time in which other blocks still read.
//!
//! **Against CUB.** At N = 10^8 this step is ahead of CUB by more than the
//! interval of the ratio; at 2^28 that interval just reaches 100 %: a tie.
//! Launch bounds decided it (step 05): before, the compiler had chosen 32
//! registers, so that four blocks fitted where three are meant, and CUB was
//! ahead at 2^28.
//!
//! **Predict.** A second launch in the queue costs up to a microsecond. For
//! which N will you see it?
//!
//! **Try.** Remove a fence: what says racecheck? Then leave both, and reset the
//! counter by hand, at the beginning of the kernel.
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of a thread, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 3;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // a double for each block: its sum

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ double warp_sum(double x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(all_lanes, x, distance);
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ double block_sum(double x) {
  __shared__ double warp_sums[32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : 0.0);
  }
  return x;
}

__device__ float total(float4 x) {
  return (x.x + x.y) + (x.z + x.w);
}

// The sum of what falls to this thread: four float4 in every turn of the grid.
__device__ double thread_sum(const float* input, int N) {
  const float4* fours = reinterpret_cast<const float4*>(input);
  const int64_t count = N / 4;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    float4 x[loads];
    for (int j = 0; j < loads; ++j) {
      x[j] = fours[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += total(x[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += total(fours[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  return t < N % 4 ? sum + input[4 * count + t] : sum;
}

__device__ unsigned blocks_done = 0;  // 0 again at the end of every call

// Whether all other blocks have written their sums. For whole blocks.
__device__ bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();  // my partial sum, then my count
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();  // all counts, then all partial sums
  }
  __syncthreads();
  return last;
}

// partial[b]: the sum of what falls to block b.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* input, double* partial, float* output, int N) {
  double x = block_sum(thread_sum(input, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
  if (!is_last_block()) return;
  x = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += block_size) {
    x += partial[b];
  }
  x = block_sum(x);
  if (threadIdx.x == 0) {
    *output = static_cast<float>(x);
  }
}

// Enough blocks for N elements, and no more than the machine is to hold.
int blocks_for(int N) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors,
                                    cudaDevAttrMultiProcessorCount, device));
  const int needed = (N + 4 * tile - 1) / (4 * tile);
  return std::min(needed, blocks_per_multiprocessor * multiprocessors);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = blocks_for(N);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(input, partial, output, N);
  CUDA_CHECK(cudaGetLastError());
}
