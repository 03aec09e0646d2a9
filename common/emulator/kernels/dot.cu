#include <cuda_runtime.h>

__global__ void dot(const float* A, const float* B, float* result, int N) {
  __shared__ float cache[256];
  float sum = 0.0f;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < N; i += blockDim.x * gridDim.x) {
    sum += A[i] * B[i];
  }
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int i = blockDim.x / 2; i != 0; i /= 2) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, cache[0]);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  cudaMemset(result, 0, sizeof(float));
  int blocks = (N + 255) / 256;
  if (blocks > 512) blocks = 512;
  dot<<<blocks, 256>>>(A, B, result, N);
  cudaDeviceSynchronize();
}
