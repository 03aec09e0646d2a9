// One half of a warp waits at a barrier inside the branch, the other half at the one behind it.
#include <cstdio>

__global__ void sum_of_neighbours(float* x, int n) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  if (t < n) {
    tile[t] = x[t];
    __syncthreads();
    x[t] += tile[(t + 1) % n];
  }
  __syncthreads();
  if (t == 0) x[0] = 0;
}

int main() {
  const int n = 200;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  sum_of_neighbours<<<1, 256>>>(x, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
