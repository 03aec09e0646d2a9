//! # Mutant: an answer kept from an earlier call
//! @builds-on step_03_one_thread_per_element
//! @fails wrong at N=256
//!
//! The sums of the first call of each size are kept and handed out again,
//! whatever A and B hold by then. Fast, and right if every call is the same.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;

ladder::Workspace kept;
int kept_elements = 0;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  float* sums = kept.get<float>(N);
  if (kept_elements != N) {
    const int blocks = (N + block_size - 1) / block_size;
    vector_add<<<blocks, block_size>>>(A, B, sums, N);
    CUDA_CHECK(cudaGetLastError());
    kept_elements = N;
  }
  CUDA_CHECK(
      cudaMemcpyAsync(C, sums, N * sizeof(float), cudaMemcpyDeviceToDevice));
}
