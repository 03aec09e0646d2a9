//! # Step 03: keep the working threads together {#reduction_step_03}
//! @builds-on step_02_shared_interleaved
//! @new   sequential addressing, whole warps at rest
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim branches.divergent == 0.0625 x step_02 at N=4096
//! @claim instructions.warp <= 0.75 x step_02 at N=4096
//! @claim shared.load.wavefronts == ideal at N=4096
//! @claim shared.store.wavefronts == ideal at N=4096
//!
//! **Idea.** The same tree, folded the other way: begin with the largest
//! distance. On each level the *first* half of the threads that are left adds
//! what belongs to the second half.
//!
//! @picture reduction_tree order=sequential
//!
//! The additions are as many. But now the threads that work are neighbours, so
//! they fill whole warps, and the others are whole warps as well: 256 threads
//! are eight full warps, and eight have nothing to do but wait at the barrier.
//! Only on the last five levels, with 16 lanes or fewer at work, does a warp
//! split.
//!
//! As in step 02, the lanes of a warp read words in different *banks* of the
//! shared memory, and have them all in one pass.
//!
//! The order of the additions is another one than before, and so are perhaps the
//! last bits of the result. Neither order is better than the other.
//!
//! **Cost.** A sixteenth of the branches that split a warp, fewer instructions,
//! and the same barriers, atomics and bytes.
//!
//! **Predict.** Which of these was step 02 waiting for?
//!
//! **What came of it.** Little, as the times below show. The instructions that
//! went were not what a block waits for: it comes for one element a thread, meets
//! at ten barriers, and goes. Step 04 takes away barriers, step 05 the coming and
//! going.
//!
//! **Try.** Another way to keep the threads of step 02 together is to let thread
//! t work on element 2 * distance * t. Do it, and watch the shared wavefronts.
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
  for (int distance = block_size / 2; distance > 0; distance /= 2) {
    if (t < distance) {
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
