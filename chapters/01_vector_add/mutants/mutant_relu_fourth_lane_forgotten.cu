//! # Mutant: the last component is copied, not clipped
//! @builds-on step_06_streaming
//! @problem relu
//! @fails wrong at N=1024 passes N=3
//!
//! Three of a float4's components go through max. The tail, element by element,
//! is right.
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int block_elements = 4 * block_size;

__global__ void relu(const float* input, float* output, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    const float4 x = *reinterpret_cast<const float4*>(input + first);
    const float4 y = {fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), x.w};
    *reinterpret_cast<float4*>(output + first) = y;
  } else {
    for (int i = first; i < N; ++i) {
      output[i] = fmaxf(input[i], 0);
    }
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;
  relu<<<blocks, block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
