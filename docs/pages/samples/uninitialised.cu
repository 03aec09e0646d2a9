// Somebody forgot that cudaMalloc does not set memory to zero.
#include <cstdio>

__global__ void count_positive(const float* x, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(count, 1);
}

int main() {
  const int n = 512;
  float* x;
  int* count;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&count, sizeof(int));
  cudaMemset(x, 0x3f, n * sizeof(float));  // positive numbers
  count_positive<<<2, 256>>>(x, count, n);
  int answer = 0;
  cudaMemcpy(&answer, count, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", answer);
  cudaFree(count);
  cudaFree(x);
}
