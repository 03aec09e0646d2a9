// Four floats at once, at the end of an array too: chapter 01, step 05.
//
//   float4 x = ladder::load_float4(input, i, N);
//   ladder::store_float4(output, i, N, x);
//
// i is a multiple of 4, and the array is aligned to 16 bytes like everything from cudaMalloc. Any i
// will do, also one behind the end.
#pragma once

namespace ladder {

// Elements i to i + 3 of N, with zeros behind the end.
__device__ inline float4 load_float4(const float* input, int i, int N) {
  if (i + 3 < N) return *reinterpret_cast<const float4*>(input + i);
  return {i < N ? input[i] : 0.0f, i + 1 < N ? input[i + 1] : 0.0f, i + 2 < N ? input[i + 2] : 0.0f,
          0.0f};
}

// Those of the four that exist.
__device__ inline void store_float4(float* output, int i, int N, float4 x) {
  if (i + 3 < N) {
    *reinterpret_cast<float4*>(output + i) = x;
    return;
  }
  if (i < N) output[i] = x.x;
  if (i + 1 < N) output[i + 1] = x.y;
  if (i + 2 < N) output[i + 2] = x.z;
}

}  // namespace ladder
