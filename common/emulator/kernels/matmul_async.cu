#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

// 32 x 32 tiles of C, 16 terms at a time; the next tiles arrive by cp.async while these are used.
constexpr int TILE = 32, TERMS = 16;

struct Tiles {
  float a[TILE][TERMS];
  float b[TERMS][TILE];
};

__device__ void fetch(Tiles& tiles, const float* A, const float* B, int row0, int col0, int n0,
                      int M, int N, int K) {
  for (int i = threadIdx.x; i < TILE * TERMS; i += blockDim.x) {
    int r = i / TERMS, n = i % TERMS;
    bool inside = row0 + r < M && n0 + n < N;
    const float* from = inside ? &A[(size_t)(row0 + r) * N + n0 + n] : A;
    __pipeline_memcpy_async(&tiles.a[r][n], from, 4, inside ? 0 : 4);
  }
  for (int i = threadIdx.x; i < TERMS * TILE; i += blockDim.x) {
    int n = i / TILE, c = i % TILE;
    bool inside = n0 + n < N && col0 + c < K;
    const float* from = inside ? &B[(size_t)(n0 + n) * K + col0 + c] : B;
    __pipeline_memcpy_async(&tiles.b[n][c], from, 4, inside ? 0 : 4);
  }
  __pipeline_commit();
}

// 256 threads, four rows of one column each.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ Tiles tiles[2];
  int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  int c = threadIdx.x % TILE, r = threadIdx.x / TILE * 4;
  float sums[4] = {};
  int steps = (N + TERMS - 1) / TERMS;
  fetch(tiles[0], A, B, row0, col0, 0, M, N, K);
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(tiles[(step + 1) % 2], A, B, row0, col0, (step + 1) * TERMS, M, N, K);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const Tiles& now = tiles[step % 2];
    for (int n = 0; n < TERMS; ++n) {
      for (int i = 0; i < 4; ++i) sums[i] += now.a[r + i][n] * now.b[n][c];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    if (row0 + r + i < M && col0 + c < K) C[(size_t)(row0 + r + i) * K + col0 + c] = sums[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 blocks((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul<<<blocks, 256>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
