//! # Step 02: a tree in shared memory {#reduction_step_02}
//! @builds-on step_01_atomic_per_element
//! @new   __shared__, __syncthreads, tree reduction, divergence
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.red.requests == 8 at N=4096
//! @claim global.red.sectors == 8 at N=4096
//! @claim branches.divergent == 768 at N=4096
//! @claim barriers == 1280 at N=4096
//!
//! **Idea.** Let the 512 threads of a block agree on one sum before anybody
//! goes to global memory: one atomic addition for 512 elements.
//!
//! `__shared__` declares memory that a block has for itself, on the
//! multiprocessor that it runs on: small, and nearly as quick as registers.
//! Each thread puts its element there. Then neighbours are added, 0 and 1, 2
//! and 3; then pairs that are two apart, 0 and 2, 4 and 6; then four apart, and
//! so on:
//!
//! @picture reduction_tree order=interleaved
//!
//! A tree of 512 leaves has 9 levels. 511 additions are made, as many as before,
//! but each level's all at once.
//!
//! **The barrier.** A level reads what *other* threads wrote in the level before
//! it. `__syncthreads()` holds every thread of the block until all have arrived,
//! and what they wrote by then is seen by all. All have to come: that is why it
//! stands outside the `if`, and why a thread without an element does not leave
//! early but contributes 0.
//!
//! **Cost.** An atomic for each block in place of one for each element. New are
//! ten barriers and the tree, and the tree is wasteful: on the first level
//! every second thread has work, on the next every fourth. They are spread over
//! all sixteen warps, and a warp in which one lane works takes as long as one
//! in which all do. The counter `branches.divergent` counts the branches that
//! split a warp: all sixteen warps do on each of the first five levels, and one
//! or more on every other.
//!
//! **Predict.** 512 times fewer atomics: 512 times as fast?
//!
//! **Try.** Remove the barrier in the loop. What does the emulator say? Then
//! put it back, and try other block sizes.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a power of two, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* input, double* sum, int N) {
  __shared__ float tile[block_size];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  tile[t] = i < N ? input[i] : 0.0f;
  __syncthreads();
  for (int distance = 1; distance < block_size; distance *= 2) {
    if (t % (2 * distance) == 0) {
      tile[t] += tile[t + distance];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(sum, tile[0]);
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
