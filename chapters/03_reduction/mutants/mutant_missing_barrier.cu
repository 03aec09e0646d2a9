//! # Mutant: no barrier between the levels
//! @builds-on step_03_shared_sequential
//! @fails trap racecheck at N=256
//!
//! A level reads what other warps may not have written yet.
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
