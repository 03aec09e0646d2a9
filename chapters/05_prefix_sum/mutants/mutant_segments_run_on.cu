//! # Mutant: a run forgets the flags of its left part
//! @builds-on ex_03_segmented_scan
//! @problem segmented_scan
//! @fails wrong at N=257
//!
//! The operator is right for two runs, and wrong as soon as its result is used
//! again: it is not associative.
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 1024;  // threads, and elements of a tile
constexpr int warps = block_size / 32;
constexpr unsigned all_lanes = 0xffffffff;

// What a run of elements comes to.
struct Run {
  float sum;  // since its last flag, or of all if it has none
  int flag;   // 1 if it has a flag
};

ladder::Workspace workspace;

// The run that consists of `left` and, behind it, `right`.
__device__ Run combine(Run left, Run right) {
  return {right.flag ? right.sum : left.sum + right.sum, right.flag};
}

__device__ Run shuffle(Run run, int lane) {
  return {__shfl_sync(all_lanes, run.sum, lane),
          __shfl_sync(all_lanes, run.flag, lane)};
}

// The run from the warp's first element to this lane's.
__device__ Run scan_warp(Run run) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const Run other = {__shfl_up_sync(all_lanes, run.sum, distance),
                       __shfl_up_sync(all_lanes, run.flag, distance)};
    if (lane >= distance) {
      run = combine(other, run);
    }
  }
  return run;
}

// The run from the block's first element to this thread's; block_run becomes
// that of all.
__device__ Run scan_block(Run run, Run& block_run) {
  __shared__ Run warp_runs[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  run = scan_warp(run);
  __syncthreads();  // the last call's have been read
  if (lane == 31) {
    warp_runs[warp] = run;
  }
  __syncthreads();
  const Run scanned = scan_warp(warp_runs[lane]);
  block_run = shuffle(scanned, 31);
  const Run before = shuffle(scanned, (warp + 31) % 32);
  return warp == 0 ? run : combine(before, run);
}

__device__ Run load(const float* input, const int* flags, int i, int N) {
  return i < N ? Run{input[i], flags[i]} : Run{0.0f, 0};
}

// runs[b] = what tile b comes to
__global__ void reduce_tiles(const float* input, const int* flags, Run* runs,
                             int N) {
  const int i = blockIdx.x * block_size + threadIdx.x;
  Run tile_run;
  scan_block(load(input, flags, i, N), tile_run);
  if (threadIdx.x == 0) {
    runs[blockIdx.x] = tile_run;
  }
}

// One block makes runs[b] the run from the very first element to the end of
// tile b, 1024 tiles at a time.
__global__ void scan_runs(Run* runs, int tiles) {
  Run before = {0.0f, 0};  // all earlier rounds
  for (int first = 0; first < tiles; first += block_size) {
    const int b = first + threadIdx.x;
    Run round_run;
    const Run run = scan_block(b < tiles ? runs[b] : Run{0.0f, 0}, round_run);
    if (b < tiles) {
      runs[b] = combine(before, run);
    }
    before = combine(before, round_run);
  }
}

// Scans each tile behind the run of all tiles before it.
__global__ void scan_tiles(const float* input, const int* flags,
                           const Run* runs, float* output, int N) {
  const int i = blockIdx.x * block_size + threadIdx.x;
  Run tile_run;
  Run run = scan_block(load(input, flags, i, N), tile_run);
  if (blockIdx.x > 0) {
    run = combine(runs[blockIdx.x - 1], run);
  }
  if (i < N) {
    output[i] = run.sum;
  }
}

extern "C" void solve(const float* input, const int* flags, float* output,
                      int N) {
  if (N == 0) return;
  const int tiles = (N + block_size - 1) / block_size;
  Run* runs = workspace.get<Run>(tiles);
  reduce_tiles<<<tiles, block_size>>>(input, flags, runs, N);
  CUDA_CHECK(cudaGetLastError());
  scan_runs<<<1, block_size>>>(runs, tiles);
  CUDA_CHECK(cudaGetLastError());
  scan_tiles<<<tiles, block_size>>>(input, flags, runs, output, N);
  CUDA_CHECK(cudaGetLastError());
}
