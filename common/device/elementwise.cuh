// output[i] = operation(inputs[i]...): the kernel of chapter 01, step 06, with the addition taken
// out of it, so that relu, silu, gelu and fma are one line of arithmetic each.
//
//   struct Relu {
//     __device__ float operator()(float x) const { return fmaxf(x, 0.0f); }
//   };
//   ladder::elementwise(Relu{}, N, output, input);
//
// The operation is an object and not a function pointer: its type is known when the kernel is
// compiled, so the call is inlined. One float4 a thread; the last thread takes the tail.
#pragma once

#include "common/check.hpp"

namespace ladder {

// The four results of an operation on the components of float4s.
template <class Operation, class... Vector>
__device__ float4 by_component(const Operation& operation, const Vector&... v) {
  return {operation(v.x...), operation(v.y...), operation(v.z...), operation(v.w...)};
}

// The kernel: a grid of at least N / 4 threads, rounded up, in blocks of one dimension. `inputs` and
// `output` hold N floats each and are aligned to 16 bytes.
template <class Operation, class... Input>
__global__ void elementwise_kernel(Operation operation, int N, float* output,
                                   const Input*... inputs) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    __stcs(reinterpret_cast<float4*>(output + first),
           by_component(operation, *reinterpret_cast<const float4*>(inputs + first)...));
  } else {
    for (int i = first; i < N; ++i) {
      output[i] = operation(inputs[i]...);
    }
  }
}

// Launches it; does not wait. `operation` takes one float for each of `inputs` (N floats each,
// aligned to 16 bytes as by cudaMalloc) and returns a float. N: 0 (nothing) .. 2^31-1.
template <class Operation, class... Input>
void elementwise(Operation operation, int N, float* output, const Input*... inputs) {
  constexpr int block_size = 256;
  constexpr int block_elements = 4 * block_size;
  if (N == 0) return;
  const int blocks = (N - 1) / block_elements + 1;
  elementwise_kernel<<<blocks, block_size>>>(operation, N, output, inputs...);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace ladder
