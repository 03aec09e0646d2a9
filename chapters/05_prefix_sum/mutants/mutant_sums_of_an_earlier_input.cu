//! # Mutant: the tile sums are kept from call to call
//! @builds-on step_05_reduce_then_scan
//! @fails wrong at N=70001 passes N=4096
//!
//! The reduction runs only where N differs from the call before. As fast as it
//! gets, and right if the input never changes.
#include "common/check.hpp"
#include "common/device/float4.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;  // threads
constexpr int warps = block_size / 32;
constexpr int vectors = 4;                // float4 of a thread
constexpr int warp_tile = 128 * vectors;  // elements of a warp
constexpr int tile = warps * warp_tile;   // elements of a block: 4096
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;

// The sum of `sum` over this lane and those below it.
__device__ float scan_warp(float sum) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(all_lanes, sum, distance);
    if (lane >= distance) {
      sum += other;
    }
  }
  return sum;
}

// Lane 31 of each warp brings its warp's sum. Returns what the warps before
// this one sum to; block_sum becomes the sum of all.
__device__ float scan_block(float warp_sum, float& block_sum) {
  __shared__ float warp_sums[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 31) {
    warp_sums[warp] = warp_sum;
  }
  __syncthreads();
  const float sum = scan_warp(lane < warps ? warp_sums[lane] : 0.0f);
  block_sum = __shfl_sync(all_lanes, sum, warps - 1);
  const float before = __shfl_sync(all_lanes, sum, (warp + 31) % 32);
  return warp == 0 ? 0.0f : before;
}

// sums[b] becomes the sum of tile b.
__global__ void reduce_tiles(const float* input, float* sums, int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * tile + warp * warp_tile + 4 * lane;
  float sum = 0.0f;
  for (int k = 0; k < vectors; ++k) {
    const float4 x = ladder::load_float4(input, first + 128 * k, N);
    sum += (x.x + x.y) + (x.z + x.w);
  }
  float tile_sum;
  scan_block(scan_warp(sum), tile_sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = tile_sum;
  }
}

// Scans each tile and adds what all tiles before it sum to.
__global__ void scan_tiles(const float* input, float* output, const float* sums,
                           int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * tile + warp * warp_tile + 4 * lane;
  float4 x[vectors];
  float before[vectors];  // the sum of the warp's elements left of x[k]
  float warp_sum = 0.0f;
  for (int k = 0; k < vectors; ++k) {
    x[k] = ladder::load_float4(input, first + 128 * k, N);
  }
  for (int k = 0; k < vectors; ++k) {
    x[k].y += x[k].x;
    x[k].z += x[k].y;
    x[k].w += x[k].z;
    const float sum = scan_warp(x[k].w);
    const float left = __shfl_up_sync(all_lanes, sum, 1);
    before[k] = lane == 0 ? warp_sum : warp_sum + left;
    warp_sum += __shfl_sync(all_lanes, sum, 31);
  }
  float tile_sum;
  float offset = scan_block(warp_sum, tile_sum);
  if (blockIdx.x > 0) {
    offset += sums[blockIdx.x - 1];
  }
  for (int k = 0; k < vectors; ++k) {
    const float add = offset + before[k];
    ladder::store_float4(
        output, first + 128 * k, N,
        {x[k].x + add, x[k].y + add, x[k].z + add, x[k].w + add});
  }
}

// In place where input is output. `sums` has room for the sums of all levels.
int last_N = 0;

void scan(const float* input, float* output, float* sums, int N) {
  const int tiles = (N + tile - 1) / tile;  // rounded up
  if (tiles > 1 && N != last_N) {
    last_N = N;
    reduce_tiles<<<tiles, block_size>>>(input, sums, N);
    CUDA_CHECK(cudaGetLastError());
    // The next level's sums start where a float4 may: at a multiple of 4.
    scan(sums, sums, sums + (tiles + 3) / 4 * 4, tiles);
  }
  scan_tiles<<<tiles, block_size>>>(input, output, sums, N);
  CUDA_CHECK(cudaGetLastError());
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int tiles = (N + tile - 1) / tile;
  scan(input, output, workspace.get<float>(2 * tiles + 8), N);
}
