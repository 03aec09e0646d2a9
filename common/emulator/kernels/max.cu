#include <cuda_runtime.h>

__device__ float atomic_max(float* address, float value) {
  int* as_int = (int*)address;
  int old = *as_int, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= value) break;
    old = atomicCAS(as_int, assumed, __float_as_int(value));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void start(float* output) {
  *output = -INFINITY;
}

__global__ void largest(const float* input, float* output, int N) {
  __shared__ float shared[256];
  float value = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    value = fmaxf(value, input[i]);
  }
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + s]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) atomic_max(output, shared[0]);
}

extern "C" void solve(const float* input, float* output, int N) {
  start<<<1, 1>>>(output);
  largest<<<min((N + 255) / 256, 512), 256>>>(input, output, N);
  cudaDeviceSynchronize();
}
