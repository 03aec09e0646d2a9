//! # Step 06: two passes and no atomics {#reduction_step_06}
//! @builds-on step_05_grid_stride_float4
//! @bound tight
//! @new   partial sums, deterministic, a fixed order
//! @claim differing_repeats == 0
//! @claim launches == 2 at N=2^22
//! @claim global.red.requests == 0 at N=2^22
//! @claim global.atom.requests == 0 at N=2^22
//! @claim global.store.requests == 397 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//!
//! **Idea.** Let each block write its sum to a place of its own, and sum those
//! in a second pass: a few hundred numbers, work for one block.
//!
//! The second kernel can rely on the first: kernels in one stream run one after
//! the other, and what the first wrote the second sees. That is the simplest
//! way for the blocks of a grid to wait for each other.
//!
//! **Deterministic.** Now it is fixed who adds what to what: the elements of a
//! thread, the lanes of a warp, the warps, the blocks, all by their numbers and
//! none by who came first. Equal inputs give equal bits, on every call. That
//! makes a program testable, and a failure repeatable. (The grid is as large as
//! the machine, so another GPU may round differently. Fix the number of blocks
//! if that matters.)
//!
//! **Accurate.** An addition of floats may lose half a unit of the last place
//! *of the sum so far*, so what counts is through how many of them an element
//! goes. With one accumulator for all: up to N. Here: two, in its float4. Then
//! come doubles, and one rounding at the end. So the judge holds this step to
//! 32 units of roundoff in place of 256, and a test compares step 07, which
//! adds in the same order, with CUB on data with a mean of zero.
//!
//! **Cost.** No atomics and no memset, and a launch for a launch. The partial
//! sums are a few KB and never leave the cache.
//!
//! **Predict.** Is determinism slower?
//!
//! **Try.** Let the second pass take only the first 256 partial sums. From
//! which N on is it wrong?
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

// partial[b]: the sum of what falls to block b.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* input, double* partial, int N) {
  const double x = block_sum(thread_sum(input, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block.
__global__ void finish(const double* partial, float* output, int blocks) {
  double x = 0.0;
  for (int b = threadIdx.x; b < blocks; b += block_size) {
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
  add_up<<<blocks, block_size>>>(input, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, output, blocks);
  CUDA_CHECK(cudaGetLastError());
}
