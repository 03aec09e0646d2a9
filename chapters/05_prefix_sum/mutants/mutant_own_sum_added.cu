//! # Mutant: block_sums[b] instead of block_sums[b - 1]
//! @builds-on step_02_hillis_steele
//! @fails wrong at N=257 passes N=256
//!
//! Each tile adds the inclusive sum, with itself in it.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;   // threads
constexpr int tile = block_size;  // elements of a block

ladder::Workspace workspace;

// Scans each tile by itself; sums[b] becomes the sum of tile b.
__global__ void scan_tiles(const float* input, float* output, float* sums,
                           int N) {
  __shared__ float buffers[2][tile];
  const int t = threadIdx.x;
  const int i = blockIdx.x * tile + t;
  float sum = i < N ? input[i] : 0.0f;
  int side = 0;
  for (int distance = 1; distance < tile; distance *= 2) {
    buffers[side][t] = sum;  // covers up to `distance` elements, the last is t
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
    sums[blockIdx.x] = sum;
  }
}

// Each tile but the first adds what all tiles before it sum to.
__global__ void add_offsets(float* output, const float* sums, int N) {
  const int i = (blockIdx.x + 1) * tile + threadIdx.x;
  if (i < N) {
    output[i] += sums[blockIdx.x + 1];
  }
}

// In place where input is output. `sums` has room for the sums of all levels.
void scan(const float* input, float* output, float* sums, int N) {
  const int tiles = (N + tile - 1) / tile;  // rounded up
  scan_tiles<<<tiles, block_size>>>(input, output, sums, N);
  CUDA_CHECK(cudaGetLastError());
  if (tiles == 1) return;
  scan(sums, sums, sums + tiles, tiles);
  add_offsets<<<tiles - 1, tile>>>(output, sums, N);
  CUDA_CHECK(cudaGetLastError());
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int tiles = (N + tile - 1) / tile;
  // A level is at most half as long as the one below: 2 * tiles hold them all.
  scan(input, output, workspace.get<float>(2 * tiles), N);
}
