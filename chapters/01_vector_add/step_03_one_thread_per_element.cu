//! # Step 03: one thread for each element {#vector_add_step_03}
//! @builds-on step_02_one_block
//! @new   blockIdx, grid size, the guard
//! @claim global.load.requests == 1 x step_02 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.store.sectors == ideal at N=4096
//!
//! **Idea.** Drop the loop. Launch as many threads as there are elements, in as
//! many blocks as that takes, and let the hardware spread the blocks over all
//! multiprocessors. A thread's element is its place in the whole grid:
//!
//!     i = blockIdx.x * blockDim.x + threadIdx.x
//!
//! Two details make this right at *every* N. The number of blocks is N / 256
//! **rounded up**, or the last elements would have no thread. And then the last
//! block may reach past the end, so every thread asks first whether it has an
//! element at all: `if (i < N)` is *the guard*. Forget either and sizes that are
//! a multiple of 256 still work, which is why the checker does not stop there.
//!
//! A grid of 0 blocks is an invalid launch, so N = 0 returns before it.
//!
//! **Cost.** The same requests and sectors as one block needed. What makes it
//! fast is that every multiprocessor now has loads under way at the same time.
//!
//! **Predict.** The floor is 12 bytes an element. How near does this come?
//!
//! **Try.** Round the number of blocks down. Which is the first size to fail?
#include "common/check.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_size - 1) / block_size;  // rounded up
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
