#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < (N + TILE - 1) / TILE; ++t) {
    a[ty][tx] = row < M && t * TILE + tx < N ? A[row * N + t * TILE + tx] : 0.0f;
    b[ty][tx] = t * TILE + ty < N && col < K ? B[(t * TILE + ty) * K + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 threads(TILE, TILE);
  dim3 blocks((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul<<<blocks, threads>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
