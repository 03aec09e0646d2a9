#include <cuda_runtime.h>

__global__ void sums(const float* A, const float* B, float* three, int N) {
  float ab = 0, aa = 0, bb = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    float a = A[i], b = B[i];
    ab += a * b;
    aa += a * a;
    bb += b * b;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    ab += __shfl_down_sync(~0u, ab, offset);
    aa += __shfl_down_sync(~0u, aa, offset);
    bb += __shfl_down_sync(~0u, bb, offset);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&three[0], ab);
    atomicAdd(&three[1], aa);
    atomicAdd(&three[2], bb);
  }
}

__global__ void quotient(const float* three, float* result) {
  *result = three[0] / (sqrtf(three[1]) * sqrtf(three[2]));
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  float* three;
  cudaMalloc(&three, 3 * sizeof(float));
  cudaMemset(three, 0, 3 * sizeof(float));
  sums<<<min((N + 255) / 256, 512), 256>>>(A, B, three, N);
  quotient<<<1, 1>>>(three, result);
  cudaDeviceSynchronize();
  cudaFree(three);
}
