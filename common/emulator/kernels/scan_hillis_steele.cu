#include <cuda_runtime.h>

#define BLOCK 512

__global__ void scan_blocks(const float* input, float* output, float* block_sums, int N) {
  __shared__ float buffer[2][BLOCK];
  int tid = threadIdx.x;
  int i = blockIdx.x * BLOCK + tid;
  int from = 0;
  buffer[from][tid] = i < N ? input[i] : 0.0f;
  __syncthreads();
  for (int offset = 1; offset < BLOCK; offset *= 2) {
    float value = buffer[from][tid];
    if (tid >= offset) value += buffer[from][tid - offset];
    from = 1 - from;
    buffer[from][tid] = value;
    __syncthreads();
  }
  if (i < N) output[i] = buffer[from][tid];
  if (block_sums != nullptr && tid == BLOCK - 1) block_sums[blockIdx.x] = buffer[from][tid];
}

__global__ void add_block_sums(float* output, const float* block_sums, int N) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (blockIdx.x > 0 && i < N) output[i] += block_sums[blockIdx.x - 1];
}

void scan(const float* input, float* output, int N) {
  int blocks = (N + BLOCK - 1) / BLOCK;
  if (blocks == 1) {
    scan_blocks<<<1, BLOCK>>>(input, output, nullptr, N);
    return;
  }
  float* block_sums;
  cudaMalloc(&block_sums, blocks * sizeof(float));
  scan_blocks<<<blocks, BLOCK>>>(input, output, block_sums, N);
  scan(block_sums, block_sums, blocks);
  add_block_sums<<<blocks, BLOCK>>>(output, block_sums, N);
  cudaDeviceSynchronize();
  cudaFree(block_sums);
}

extern "C" void solve(const float* input, float* output, int N) {
  scan(input, output, N);
  cudaDeviceSynchronize();
}
