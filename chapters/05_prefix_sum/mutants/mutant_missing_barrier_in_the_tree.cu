//! # Mutant: no barrier between the rounds on the way down
//! @builds-on step_03_blelloch
//! @fails trap racecheck at N=1025
//!
//! The last rounds of the tree's top are one warp's work, and lock-step hides what
//! is missing there. Further down, warps read what others have still to write.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;       // threads
constexpr int tile = 2 * block_size;  // elements of a block

ladder::Workspace workspace;

// Where element i of a tile is kept: a hole after each 32, one for each bank.
__device__ int place(int i) {
  return i + i / 32;
}

// Scans each tile by itself; sums[b] becomes the sum of tile b.
__global__ void scan_tiles(const float* input, float* output, float* sums,
                           int N) {
  __shared__ float tree[tile + tile / 32];
  const int t = threadIdx.x;
  const int i = blockIdx.x * tile + t, j = i + block_size;
  const float first = i < N ? input[i] : 0.0f;
  const float second = j < N ? input[j] : 0.0f;
  tree[place(t)] = first;
  tree[place(t + block_size)] = second;
  for (int distance = 1; distance < tile; distance *= 2) {  // up
    __syncthreads();
    const int right = 2 * distance * (t + 1) - 1;  // last element of node t
    if (right < tile) {
      tree[place(right)] += tree[place(right - distance)];
    }
  }
  if (t == 0) {  // who has just written the root
    sums[blockIdx.x] = tree[place(tile - 1)];
    tree[place(tile - 1)] = 0;
  }
  for (int distance = tile / 2; distance > 0; distance /= 2) {  // down
    const int right = 2 * distance * (t + 1) - 1;
    if (right < tile) {
      const float left_sum = tree[place(right - distance)];
      const float before = tree[place(right)];
      tree[place(right - distance)] = before;
      tree[place(right)] = before + left_sum;
    }
  }
  __syncthreads();
  if (i < N) {
    output[i] = tree[place(t)] + first;
  }
  if (j < N) {
    output[j] = tree[place(t + block_size)] + second;
  }
}

// Each tile but the first adds what all tiles before it sum to.
__global__ void add_offsets(float* output, const float* sums, int N) {
  const int i = (blockIdx.x + 1) * tile + threadIdx.x;
  if (i < N) {
    output[i] += sums[blockIdx.x];
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
