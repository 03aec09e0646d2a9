//! # Step 01: multiply, then sum {#dot_product_step_01}
//! @new   temporary array, one kernel after another
//! @nondeterministic the blocks add their sums in whichever order they finish
//! @claim launches == 3 at N=4096
//! @claim global.load.requests == 385 at N=4096
//! @claim global.store.requests == 129 at N=4096
//! @claim global.red.requests == 8 at N=4096
//!
//! **Idea.** A dot product is two things that we have: multiply element by
//! element, as chapter 1 adds, and sum, as chapter 3 does. Do one after the
//! other, with an array in between that holds the N products.
//!
//! That is how one composes library calls, and how a line of array code,
//! `(A * B).sum()`, is carried out where nobody looks at the two operations
//! together. Kernels in one stream run in order, so the second finds all that
//! the first wrote.
//!
//! **The parts.** `multiply` has a thread for each element. `add_up` is chapter
//! 3's step 04: `block_sum` (common/device/reduction.cuh) sums a block's
//! elements in its registers, and thread 0 adds that to one double, which a
//! memset has set to 0. `store` rounds it to a float.
//!
//! **Who owns the products?** Not the caller, who gave us two inputs and one
//! result. They live in the `Workspace`, which allocates when a call needs more
//! than any before: 4 N bytes, half as much as the inputs. At N = 2^28 that is
//! a gigabyte of memory that nobody asked for.
//!
//! **Cost.** 8 bytes an element have to be read, whatever one does. Here 4 more
//! are written, and read again by the next kernel: 16. (For small N the
//! products are still in the cache. For large N the first are gone by the time
//! they are wanted.)
//!
//! **Predict.** Twice the bytes that are needed: twice the time?
//!
//! **Try.** Write the products over A, and save the workspace. What does the
//! judge say, and would the caller agree?
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // a double: the sum so far; then N products

__global__ void multiply(const float* A, const float* B, float* products,
                         int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    products[i] = A[i] * B[i];
  }
}

__global__ void add_up(const float* products, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? products[i] : 0.0f);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
}

__global__ void store(const double* sum, float* result) {
  *result = static_cast<float>(*sum);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1 + (N + 1) / 2);
  float* products = reinterpret_cast<float*>(sum + 1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  multiply<<<blocks, block_size>>>(A, B, products, N);
  CUDA_CHECK(cudaGetLastError());
  add_up<<<blocks, block_size>>>(products, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, result);
  CUDA_CHECK(cudaGetLastError());
}
