//! # Exercise 2: the mean {#reduction_ex_02}
//! @builds-on step_04_warp_shuffle
//! @problem mean
//! @goal global.red.requests == 16 at N=4096
//! @goal global.red.sectors == 16 at N=4096
//! @goal launches == 2 at N=4096
//! @solution
//!
//! The life of an accumulator: set to 0 before every call, added to once by each
//! block, read when all blocks are done. The memset is easily forgotten, and a
//! test that calls only once does not miss it.
//!
//! Divided is once, at the very end, by N: not by the number of threads, some
//! of which have no element. To divide every element first would round N times
//! more, and would cost a division each.
#include "common/check.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = ladder::block_sum(i < N ? input[i] : 0.0f);
  // [hole add: ~3 lines] The block's sum is in thread 0. Add it, once.
  // [stub] atomicAdd(sum, x);
  if (threadIdx.x == 0) {
    atomicAdd(sum, x);
  }
  // [/hole]
}

__global__ void store_mean(const double* sum, float* output, int N) {
  // [hole mean: 1 line] The mean of N elements.
  // [stub] *output = static_cast<float>(*sum / gridDim.x);
  *output = static_cast<float>(*sum / N);
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  // [hole reset: 1 line] What is in `sum` now? What has to be?
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));
  // [/hole]
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store_mean<<<1, 1>>>(sum, output, N);
  CUDA_CHECK(cudaGetLastError());
}
