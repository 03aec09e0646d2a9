// The last block has threads that no element is for, and nothing stops them.
#include <cstdio>

__global__ void scale(float* x, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = factor * x[i];
}

int main() {
  const int n = 1000;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  scale<<<4, 256>>>(x, 2.0f);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
