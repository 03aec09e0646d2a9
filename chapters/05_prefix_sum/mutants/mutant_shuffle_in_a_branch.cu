//! # Mutant: only the lanes that need it call the shuffle
//! @builds-on step_04_warp_shuffle
//! @fails trap synccheck at N=257
//!
//! The mask names all lanes, and those outside of the branch never come. On a
//! GPU anything may come back; the emulator waits for them in vain.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;   // threads
constexpr int tile = block_size;  // elements of a block
constexpr int warps = block_size / 32;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;

// The sum of `sum` over this lane and those below it.
__device__ float scan_warp(float sum) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    if (lane >= distance) {
      sum += __shfl_up_sync(all_lanes, sum, distance);
    }
  }
  return sum;
}

// Scans each tile by itself; sums[b] becomes the sum of tile b.
__global__ void scan_tiles(const float* input, float* output, float* sums,
                           int N) {
  __shared__ float warp_sums[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int i = blockIdx.x * tile + threadIdx.x;
  float sum = scan_warp(i < N ? input[i] : 0.0f);
  if (lane == 31) {
    warp_sums[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    const float total = scan_warp(lane < warps ? warp_sums[lane] : 0.0f);
    if (lane < warps) {
      warp_sums[lane] = total;
    }
  }
  __syncthreads();
  if (warp > 0) {
    sum += warp_sums[warp - 1];
  }
  if (i < N) {
    output[i] = sum;
  }
  if (threadIdx.x == tile - 1) {
    sums[blockIdx.x] = sum;
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
