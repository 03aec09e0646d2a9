#include <cuda_runtime.h>

// One block does it all: maximum, sum of exponentials, result.
__global__ void log_softmax(const float* input, float* output, int N) {
  __shared__ float shared[1024];
  int tid = threadIdx.x;
  float largest = -INFINITY;
  for (int i = tid; i < N; i += 1024) largest = fmaxf(largest, input[i]);
  shared[tid] = largest;
  __syncthreads();
  for (int s = 512; s > 0; s >>= 1) {
    if (tid < s) shared[tid] = fmaxf(shared[tid], shared[tid + s]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = tid; i < N; i += 1024) sum += expf(input[i] - largest);
  shared[tid] = sum;
  __syncthreads();
  for (int s = 512; s > 0; s >>= 1) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  float log_sum = logf(shared[0]);
  for (int i = tid; i < N; i += 1024) output[i] = input[i] - largest - log_sum;
}

extern "C" void solve(const float* input, float* output, int N) {
  log_softmax<<<1, 1024>>>(input, output, N);
  cudaDeviceSynchronize();
}
