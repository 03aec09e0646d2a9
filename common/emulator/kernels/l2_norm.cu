#include <cuda_runtime.h>

__global__ void partial_squares(const float* input, float* partial, int N) {
  __shared__ float shared[128];
  float sum = 0.0f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < N; i += gridDim.x * 128) {
    sum = fmaf(input[i], input[i], sum);
  }
  shared[threadIdx.x] = sum;
  for (int s = 64; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

__global__ void finish(const float* partial, float* output, int count) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += 32) sum += partial[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) *output = sqrtf(sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  int blocks = min((N + 127) / 128, 640);
  float* partial;
  cudaMalloc(&partial, blocks * sizeof(float));
  partial_squares<<<blocks, 128>>>(input, partial, N);
  finish<<<1, 32>>>(partial, output, blocks);
  cudaDeviceSynchronize();
  cudaFree(partial);
}
