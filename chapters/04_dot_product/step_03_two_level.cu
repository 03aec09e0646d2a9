//! # Step 03: sums of sums {#dot_product_step_03}
//! @builds-on step_02_fused_block
//! @bound tight
//! @new   two-level sum, a result that repeats, doubles
//! @claim differing_repeats == 0
//! @claim launches == 2 at N=2^22
//! @claim global.red.requests == 0 at N=2^22
//! @claim global.atom.requests == 0 at N=2^22
//! @claim global.store.requests == 529 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//! @claim barriers <= 0.07 x step_02 at N=2^22
//!
//! **Idea.** Sum in two levels. On the first, as many blocks as the machine
//! holds share the elements; a thread adds up its own, then its block does, and
//! the block writes down what it has. On the second, one block sums what the
//! first has written: a few hundred numbers.
//!
//! It is what chapter 3's steps 05 and 06 found, and both halves matter. With
//! *few* blocks the trees and barriers no longer grow with N, and one block is
//! enough for the second level. And with a *place* for each block's sum nobody
//! adds to what somebody else adds to: no atomics, nothing to set to zero, and
//! an order that is fixed by numbers and not by who came first. Equal inputs
//! give equal bits. (How many blocks those are, `ladder::blocks_for` of
//! common/device/grid.hpp says: chapter 3's function, for any tile.)
//!
//! A block for every 512 elements, each with its partial sum, would have worked
//! as well up to some N; at 10^8 the second level would be 195 313 numbers, for
//! one block.
//!
//! **Accurate.** A product is rounded to a float, once. From there on everything
//! is added as doubles, so that is all that an element suffers, whatever N is,
//! but for the one rounding of the result. The judge holds this step to an
//! eighth of what the first two may be off.
//!
//! **Cost.** 8 bytes an element, and two launches. The memset is gone.
//!
//! **Predict.** A thread loads two floats and adds. How many bytes are under way
//! in a multiprocessor with 2048 threads, and will that do? (In chapter 3, three
//! blocks with 64 bytes a thread did.)
//!
//! **Try.** Use one block for each multiprocessor, then sixteen. Which of the
//! claims above change, and what does it do to the time?
#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int blocks_per_multiprocessor = 4;

ladder::Workspace workspace;  // a double for each block: its sum

// The sum of the products that fall to this thread: one in every turn.
__device__ double thread_sum(const float* A, const float* B, int N) {
  const int64_t stride = gridDim.x * block_size;
  int64_t i = blockIdx.x * block_size + threadIdx.x;
  double sum = 0.0;
  for (; i < N; i += stride) {
    sum += A[i] * B[i];
  }
  return sum;
}

// partial[b]: the sum of what falls to block b.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const float* A, const float* B, double* partial, int N) {
  const double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
}

// The sum of all partial sums. For one block.
__global__ void finish(const double* partial, float* result, int blocks) {
  double x = 0.0;
  for (int b = threadIdx.x; b < blocks; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = static_cast<float>(x);
  }
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  const int blocks =
      ladder::blocks_for(N, block_size, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, N);
  CUDA_CHECK(cudaGetLastError());
  finish<<<1, block_size>>>(partial, result, blocks);
  CUDA_CHECK(cudaGetLastError());
}
