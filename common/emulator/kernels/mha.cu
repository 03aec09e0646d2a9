#include <cuda_runtime.h>

// A block for each query of each head: scores in dynamic shared memory.
__global__ void attention(const float* Q, const float* K, const float* V, float* output, int N,
                          int d_model, int d) {
  extern __shared__ float scores[];
  __shared__ float partial[4];
  int query = blockIdx.x, first = blockIdx.y * d, tid = threadIdx.x;
  const float* q = Q + (size_t)query * d_model + first;
  float largest = -INFINITY;
  for (int j = tid; j < N; j += 128) {
    const float* k = K + (size_t)j * d_model + first;
    float sum = 0.0f;
    for (int c = 0; c < d; ++c) sum += q[c] * k[c];
    scores[j] = sum / sqrtf((float)d);
    largest = fmaxf(largest, scores[j]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  }
  if (tid % 32 == 0) partial[tid / 32] = largest;
  __syncthreads();
  largest = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
  __syncthreads();
  float sum = 0.0f;
  for (int j = tid; j < N; j += 128) {
    scores[j] = expf(scores[j] - largest);
    sum += scores[j];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (tid % 32 == 0) partial[tid / 32] = sum;
  __syncthreads();
  sum = partial[0] + partial[1] + partial[2] + partial[3];
  for (int c = tid; c < d; c += 128) {
    float value = 0.0f;
    for (int j = 0; j < N; ++j) value += scores[j] * V[(size_t)j * d_model + first + c];
    output[(size_t)query * d_model + first + c] = value / sum;
  }
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N,
                      int d_model, int h) {
  size_t bytes = N * sizeof(float);
  cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  attention<<<dim3(N, h), 128, bytes>>>(Q, K, V, output, N, d_model, d_model / h);
  cudaDeviceSynchronize();
}
