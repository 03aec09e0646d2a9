// Each thread reads what another one wrote, and no barrier stands between.
#include <cstdio>

__global__ void reverse(int* x) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  tile[t] = x[t];
  x[t] = tile[255 - t];
}

int main() {
  int* x;
  cudaMalloc(&x, 256 * sizeof(int));
  cudaMemset(x, 0, 256 * sizeof(int));
  reverse<<<1, 256>>>(x);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
