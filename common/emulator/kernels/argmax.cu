#include <cuda_runtime.h>

// Value and index in one 64-bit number whose order is: larger value, then smaller index.
__device__ unsigned long long pack(float value, int index) {
  unsigned int bits = __float_as_uint(value);
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return ((unsigned long long)bits << 32) | (0xffffffffu - (unsigned int)index);
}

__global__ void find(const float* input, unsigned long long* best, int N) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    float value = input[i] == 0.0f ? 0.0f : input[i];
    mine = max(mine, pack(value, i));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    mine = max(mine, __shfl_down_sync(0xffffffff, mine, offset));
  }
  if ((threadIdx.x & 31) == 0) atomicMax(best, mine);
}

__global__ void unpack(const unsigned long long* best, int* output) {
  *output = (int)(0xffffffffu - (unsigned int)(*best & 0xffffffffu));
}

extern "C" void solve(const float* input, int* output, int N) {
  unsigned long long* best;
  cudaMalloc((void**)&best, sizeof *best);
  cudaMemset(best, 0, sizeof *best);
  find<<<min((N + 255) / 256, 1024), 256>>>(input, best, N);
  unpack<<<1, 1>>>(best, output);
  cudaDeviceSynchronize();
  cudaFree(best);
}
