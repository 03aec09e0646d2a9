#include <cuda_runtime.h>

__device__ float gelu_of(float x) {
  const float slope = 0.7978845608f;  // sqrt(2 / pi)
  return 0.5f * x * (1.0f + tanhf(slope * (x + 0.044715f * x * x * x)));
}

// Grid-stride, four blocks for each multiprocessor.
__global__ void gelu(const float* input, float* output, int N) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
    output[i] = gelu_of(input[i]);
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  int device, multiprocessors;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  gelu<<<4 * multiprocessors, 128>>>(input, output, N);
  cudaDeviceSynchronize();
}
