#include <cuda_runtime.h>
#include <cfloat>

// One block finds the maximum of its share, another kernel the sum, a third divides.
__global__ void block_max(const float* input, float* partial, int N) {
  __shared__ float shared[256];
  float value = -FLT_MAX;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
    value = fmaxf(value, input[i]);
  }
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + s]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

__global__ void block_sum(const float* input, const float* partial_max, float* maximum, float* sum,
                          int N, int partials) {
  __shared__ float shared[256];
  float largest = -FLT_MAX;
  for (int i = 0; i < partials; ++i) largest = fmaxf(largest, partial_max[i]);
  float value = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
    value += expf(input[i] - largest);
  }
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(sum, shared[0]);
    if (blockIdx.x == 0) *maximum = largest;
  }
}

__global__ void divide(const float* input, float* output, const float* maximum, const float* sum,
                       int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) output[i] = expf(input[i] - *maximum) / *sum;
}

extern "C" void solve(const float* input, float* output, int N) {
  int blocks = min((N + 255) / 256, 128);
  float *partial, *maximum, *sum;
  cudaMalloc(&partial, blocks * sizeof(float));
  cudaMalloc(&maximum, sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  block_max<<<blocks, 256>>>(input, partial, N);
  block_sum<<<blocks, 256>>>(input, partial, maximum, sum, N, blocks);
  divide<<<(N + 255) / 256, 256>>>(input, output, maximum, sum, N);
  cudaDeviceSynchronize();
  cudaFree(partial);
  cudaFree(maximum);
  cudaFree(sum);
}
