//! # Exercise 4: find the bug {#prefix_sum_ex_04}
//! @builds-on step_02_hillis_steele
//! @stub-fails wrong at N=257 N=4099 passes N=256
//! @goal launches == 3 at N=4096
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int tile = 256;  // threads of a block, and its elements

ladder::Workspace workspace;

// [hole all: 1 line of ~50 is wrong] It is right for N = 256, for N = 100.
// Scans each tile by itself; block_sums[b] becomes the sum of tile b.
__global__ void scan_tiles(const float* input, float* output, float* block_sums,
                           int N) {
  __shared__ float buffers[2][tile];
  const int t = threadIdx.x;
  const int i = blockIdx.x * tile + t;
  float sum = i < N ? input[i] : 0.0f;
  int side = 0;
  for (int distance = 1; distance < tile; distance *= 2) {
    buffers[side][t] = sum;
    __syncthreads();
    if (t >= distance) {
      sum += buffers[side][t - distance];
    }
    side = 1 - side;
  }
  if (i < N) {
    output[i] = sum;
  }
  if (t == tile - 1) {
    block_sums[blockIdx.x] = sum;
  }
}

// Each tile but the first adds what all tiles before it sum to.
__global__ void add_offsets(float* output, const float* block_sums, int N) {
  const int b = blockIdx.x;
  const int i = b * tile + threadIdx.x;
  if (b > 0 && i < N) {
    output[i] += block_sums[b];
  }
}

void scan(const float* input, float* output, float* block_sums, int N) {
  const int tiles = (N + tile - 1) / tile;
  scan_tiles<<<tiles, tile>>>(input, output, block_sums, N);
  CUDA_CHECK(cudaGetLastError());
  if (tiles > 1) {
    scan(block_sums, block_sums, block_sums + tiles, tiles);
    add_offsets<<<tiles, tile>>>(output, block_sums, N);
    CUDA_CHECK(cudaGetLastError());
  }
}
// [/hole]

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int tiles = (N + tile - 1) / tile;
  scan(input, output, workspace.get<float>(2 * tiles), N);
}
