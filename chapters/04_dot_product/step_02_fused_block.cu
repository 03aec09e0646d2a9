//! # Step 02: multiply where you load {#dot_product_step_02}
//! @builds-on step_01_two_kernels
//! @new   fused kernels, arithmetic intensity
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim launches == 2 at N=4096
//! @claim global.load.requests == 257 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.store.requests == 1 at N=4096
//! @claim global.red.requests == 8 at N=4096
//!
//! **Idea.** A product is needed once, by the very thread that would load it.
//! So let that thread make it: load A[i] and B[i], multiply, and go on with the
//! product in a register. The array of products and the kernel that wrote it
//! are gone; of the workspace one double is left, for the sum.
//!
//! That is *fusing*: what one kernel writes and the next reads need not go
//! through memory if the same thread may do both. Where memory decides, and with
//! little arithmetic it mostly does, nothing else saves as much. It is a good
//! reason to write kernels by hand, next to libraries whose single operations are
//! hard to beat. Where the reader needs *other* threads' results it is not so
//! easy; chapters 6 and 9 are about that.
//!
//! **Two operations for eight bytes.** A multiplication and an addition for
//! every two floats. The H200 could do some hundred and twenty operations in
//! the time in which eight bytes arrive. So nothing that we do to a product
//! costs anything, as long as it is done while waiting.
//!
//! **The same roundings.** The products are rounded to a float before they are
//! summed, here as in step 01, though they are no longer stored.
//!
//! **Cost.** 8 bytes an element, which is the floor. The trees, barriers and
//! atomics of the sum are what they were.
//!
//! **Predict.** Half of the bytes are gone, and one launch. Will it take half
//! of the time?
//!
//! **Try.** Call it with A for both arguments: the sum of squares. How many
//! bytes are read then, and from where?
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* A, const float* B, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? A[i] * B[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* result) {
  *result = static_cast<float>(*sum);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(A, B, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, result);
  CUDA_CHECK(cudaGetLastError());
}
