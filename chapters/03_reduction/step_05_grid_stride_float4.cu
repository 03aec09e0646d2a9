//! # Step 05: add up first, talk later {#reduction_step_05}
//! @builds-on step_04_warp_shuffle
//! @new   work per thread, loads in flight, a grid as large as the machine, __launch_bounds__
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim global.load.requests == 32769 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//! @claim global.red.requests == 396 at N=2^22
//! @claim instructions.warp <= 0.25 x step_04 at N=2^22
//!
//! **Idea.** So far a thread brought one element and then took part in a tree,
//! a barrier and an atomic. Cheap as these have become, they are there for
//! every 512 elements. Give each thread *many* elements, which it adds up by
//! itself in registers: an addition that needs no barrier and no neighbour.
//!
//! The means are those of chapter 1: a grid-stride loop, float4, and a grid that
//! is as large as the machine and not as the problem. A block takes a tile of
//! 4 x 512 float4 in each turn:
//!
//!     tile of block 0      tile of block 1        ...   block 0's next tile
//!     | 512 | 512 | 512 | 512 | 512 | 512 | ...
//!       x[0]  x[1]  x[2]  x[3]
//!
//! **Loads in flight.** A thread asks for its four float4 *before* it adds any
//! of them. Chapter 1 found that more than one load a thread gains nothing
//! there, as its blocks came and went by the thousands and there was always
//! another to ask for something. These blocks stay. A thread that asks for one
//! float4, waits and adds has nothing under way while it adds; with four it
//! has.
//!
//! **Three blocks.** What is under way needs registers to arrive in, and
//! those of a multiprocessor are shared by all its threads: with 65 536 of
//! them and three blocks of 512, a thread may have 42.
//! `__launch_bounds__(512, 3)` tells the compiler both numbers, and it takes
//! at most 40, as registers come by the eight. So three blocks fit and, on
//! the H200, no fourth. (A Turing multiprocessor holds 1024 threads: two
//! blocks.) Had it taken 32, four would fit, and then nothing would keep
//! some multiprocessors from getting four blocks and others two, while all
//! blocks have the same share of the work. Whoever makes the grid as large
//! as the machine has to know how large the machine is.
//!
//! In a trial of some fifty variants on the H200 a fourth block, blocks of 256,
//! cache hints and loads a whole grid apart were all slower, by one to ten
//! percent. None of that can be derived; it was timed.
//!
//! **Floats and doubles.** The four elements of a float4 are added as floats,
//! in two levels. From there on, through turns, warp and block, goes a double.
//! One addition of doubles for every three of floats costs next to nothing
//! here, even on cards that are slow at doubles: memory is slower still. And no
//! element goes through more than two roundings to a float, and one of the
//! result, however large N is.
//!
//! **The tail.** The input is aligned to 16 bytes, as all that cudaMalloc
//! returns. Up to three elements are left behind the last whole float4. The
//! first N % 4 threads of the grid take one each; for N < 4 that is all
//! there is.
//!
//! **Cost.** Every element is read once, as before, in a quarter of the
//! requests. Trees and atomics no longer grow with N: one a block, and the
//! blocks are as many as fit, whether N is four million or a billion.
//!
//! **Predict.** Nothing is left that depends on N but the reading itself.
//!
//! **Try.** Let a thread add each float4 at once, in a plain grid-stride loop,
//! with four blocks for each multiprocessor. How much do all the words above
//! gain?
#include <algorithm>
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // float4 of a thread, asked for together
constexpr int tile = loads * block_size;  // float4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 3;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // one double: the sum so far

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

__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* input, double* sum, int N) {
  const double x = block_sum(thread_sum(input, N));
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* output) {
  *output = static_cast<float>(*sum);
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
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  add_up<<<blocks_for(N), block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
