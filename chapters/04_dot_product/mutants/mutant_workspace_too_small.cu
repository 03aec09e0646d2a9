//! # Mutant: room for half of the products
//! @builds-on step_01_two_kernels
//! @fails trap at N=257
//!
//! Half of the bytes that the products need. The rest of them lie behind the end,
//! where they may well be somebody else's.
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
  double* sum = workspace.get<double>(1 + N / 4);
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
