//! # Exercise 3: float4 with a tail {#vector_add_ex_03}
//! @builds-on step_05_float4
//! @problem silu
//! @stub-fails goal
//! @goal global.load.requests == 32 at N=4096
//! @goal global.load.sectors == ideal at N=4096
//! @goal global.store.requests == 32 at N=4096
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int block_elements = 4 * block_size;

__device__ float silu(float x) {
  return x / (1.0f + expf(-x));
}

// output[i] = silu(input[i]); a thread has elements first .. first + 3
__global__ void silu_kernel(const float* input, float* output, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  // [hole body: ~9 lines] One float4 load and store, or what is left of them.
  for (int i = first; i < first + 4 && i < N; ++i) {
    output[i] = silu(input[i]);
  }
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;  // rounded up
  silu_kernel<<<blocks, block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
