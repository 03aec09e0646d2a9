//! # Mutant: one float carries the sum through all elements
//! @builds-on step_01_serial
//! @fails wrong at N=1048577,distribution=large_offset passes N=1048577,distribution=exact
//!
//! Ten thousand is not a multiple of what a float's last digit is worth at ten
//! thousand million: each addition is rounded the same way, and it adds up.
#include "common/check.hpp"

__global__ void scan(const float* input, float* output, int N) {
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += input[i];
    output[i] = sum;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N > 1 << 24) ladder::refuse("one thread would take far too long");
  scan<<<1, 1>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
