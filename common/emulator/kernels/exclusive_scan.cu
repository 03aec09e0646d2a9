#include <cuda_runtime.h>

// Work-efficient scan of 1024 elements in a block: up-sweep, then down-sweep.
__global__ void blelloch(const float* input, float* output, float* totals, int N) {
  __shared__ float tree[1024];
  int tid = threadIdx.x, base = blockIdx.x * 1024;
  tree[2 * tid] = base + 2 * tid < N ? input[base + 2 * tid] : 0.0f;
  tree[2 * tid + 1] = base + 2 * tid + 1 < N ? input[base + 2 * tid + 1] : 0.0f;
  int offset = 1;
  for (int active = 512; active > 0; active >>= 1) {
    __syncthreads();
    if (tid < active) tree[offset * (2 * tid + 2) - 1] += tree[offset * (2 * tid + 1) - 1];
    offset *= 2;
  }
  if (tid == 0) {
    totals[blockIdx.x] = tree[1023];
    tree[1023] = 0.0f;
  }
  for (int active = 1; active < 1024; active *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < active) {
      int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1;
      float value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  if (base + 2 * tid < N) output[base + 2 * tid] = tree[2 * tid];
  if (base + 2 * tid + 1 < N) output[base + 2 * tid + 1] = tree[2 * tid + 1];
}

__global__ void shift(float* output, const float* before, int N) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    int at = blockIdx.x * 1024 + i;
    if (at < N) output[at] += before[blockIdx.x];
  }
}

static void scan(const float* input, float* output, int N) {
  int blocks = (N + 1023) / 1024;
  float* totals;
  cudaMalloc(&totals, 2 * blocks * sizeof(float));
  blelloch<<<blocks, 512>>>(input, output, totals, N);
  if (blocks > 1) {
    scan(totals, totals + blocks, blocks);
    shift<<<blocks, 256>>>(output, totals + blocks, N);
  }
  cudaFree(totals);
}

extern "C" void solve(const float* input, float* output, int N) {
  scan(input, output, N);
}
