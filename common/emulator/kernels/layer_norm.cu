#include <cuda_runtime.h>

template <int THREADS>
__device__ float block_sum(float value) {
  __shared__ float shared[THREADS / 32];
  __syncthreads();
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, offset);
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int warp = 0; warp < THREADS / 32; ++warp) total += shared[warp];
  return total;
}

__global__ void layer_norm(const float* input, const float* weight, const float* bias,
                           float* output, int C, float eps) {
  const float* x = input + (size_t)blockIdx.x * C;
  float* y = output + (size_t)blockIdx.x * C;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < C; c += 256) sum += x[c];
  float mean = block_sum<256>(sum) / C;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < C; c += 256) squares += (x[c] - mean) * (x[c] - mean);
  float scale = rsqrtf(block_sum<256>(squares) / C + eps);
  for (int c = threadIdx.x; c < C; c += 256) y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output,
                      int N, int C, float eps) {
  layer_norm<<<N, 256>>>(input, weight, bias, output, C, eps);
  cudaDeviceSynchronize();
}
