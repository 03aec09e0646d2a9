//! # Exercise 3: a warp that is not complete {#reduction_ex_03}
//! @builds-on step_04_warp_shuffle
//! @stub-fails trap
//! @goal shuffles <= 640 at N=4096
//! @goal global.red.requests == 128 at N=4096
//! @goal barriers == 0 at N=4096
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;

ladder::Workspace workspace;  // one double: the sum so far

// The sum of x over the first `present` lanes of a warp, in lane 0. The other
// lanes are gone.
__device__ float partial_warp_sum(float x, int present) {
  const int lane = threadIdx.x % 32;
  // [hole sum: ~6 lines] Shuffle among those that are there.
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(0xffffffff, x, distance);
  }
  // [/hole]
  return x;
}

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const int first = i / 32 * 32;  // lane 0's element
  const float x = partial_warp_sum(input[i], min(32, N - first));
  if (i == first) {
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
