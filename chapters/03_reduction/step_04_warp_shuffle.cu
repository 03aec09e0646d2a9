//! # Step 04: sum a warp in its registers {#reduction_step_04}
//! @builds-on step_03_shared_sequential
//! @new   __shfl_down_sync, lane, warp-wide and block-wide sum
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim barriers == 128 at N=4096
//! @claim shuffles == 680 at N=4096
//! @claim shared.store.wavefronts == 128 at N=4096
//! @claim shared.load.wavefronts == 8 at N=4096
//!
//! **Idea.** The 32 lanes of a warp can hand values to one another directly,
//! from register to register. `__shfl_down_sync(all_lanes, x, d)` gives a lane
//! the x of the lane d places further on: one instruction in place of a store,
//! a barrier and a load. Five of them sum a warp:
//!
//!     d = 16:  lane 0 has 0 + 16, lane 1 has 1 + 17, ...
//!     d =  8:  lane 0 has those four that are 8 apart, ...
//!     ...
//!     d =  1:  lane 0 has all 32
//!
//! (The upper lanes add something too, a repetition of their own. Nobody reads
//! it.) `all_lanes` says who takes part; every one of them has to come to that
//! very instruction. That is why threads without an element stay here with a 0.
//!
//! Then sixteen warps hold a sum each. Lane 0 of each puts its own into shared
//! memory, a single barrier, and the first warp sums these in the same way.
//!
//! **Cost.** One barrier in place of ten; of shared memory, sixteen words
//! written and read once in place of a tree. The traffic to global memory does
//! not change.
//!
//! **Predict.** The tree has all but vanished. What is left to wait for?
//!
//! **Try.** `__shfl_xor_sync(all_lanes, x, d)` exchanges both ways, and *all*
//! lanes end up with the sum. When is that worth having?
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;  // one double: the sum so far

// The sum of x over the 32 lanes of a warp, in lane 0.
__device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(all_lanes, x, distance);
  }
  return x;
}

// The sum of x over the threads of a block, in thread 0.
__device__ float block_sum(float x) {
  __shared__ float warp_sums[32];
  const int lane = threadIdx.x % 32;
  x = warp_sum(x);
  if (lane == 0) {
    warp_sums[threadIdx.x / 32] = x;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sum(lane < block_size / 32 ? warp_sums[lane] : 0.0f);
  }
  return x;
}

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = block_sum(i < N ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* output) {
  *output = static_cast<float>(*sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
