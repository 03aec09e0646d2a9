//! # Mutant: threads without an element bring whatever they find
//! @builds-on step_03_shared_sequential
//! @fails wrong at N=513 passes N=512
//!
//! They write nothing into the tile, so that the tree adds what an earlier block
//! has left there.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a power of two, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* input, double* sum, int N) {
  __shared__ float tile[block_size];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < N) tile[t] = input[i];
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
