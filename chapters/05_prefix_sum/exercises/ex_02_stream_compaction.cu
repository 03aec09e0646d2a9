//! # Exercise 2: stream compaction {#prefix_sum_ex_02}
//! @builds-on step_05_reduce_then_scan
//! @problem compact
//! @new   __ballot_sync, __popc
//! @goal votes <= 260 at N=4096
//! @goal global.store.requests <= 140 at N=4096
//! @goal differing_repeats == 0 at N=4099
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 1024;  // threads, and elements of a tile
constexpr int warps = block_size / 32;
constexpr unsigned all_lanes = 0xffffffff;

ladder::Workspace workspace;

// The sum of `sum` over this lane and those below it.
__device__ int scan_warp(int sum) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(all_lanes, sum, distance);
    if (lane >= distance) {
      sum += other;
    }
  }
  return sum;
}

// Of one number for each warp: what the warps before this one sum to. All
// threads of a warp bring the same number.
__device__ int scan_block(int warp_sum, int& block_sum) {
  __shared__ int warp_sums[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();  // the last call's have been read
  if (lane == 31) {
    warp_sums[warp] = warp_sum;
  }
  __syncthreads();
  const int sum = scan_warp(warp_sums[lane]);
  block_sum = __shfl_sync(all_lanes, sum, 31);
  const int before = __shfl_sync(all_lanes, sum, (warp + 31) % 32);
  return warp == 0 ? 0 : before;
}

// counts[b] = how many elements of tile b are kept
__global__ void count_kept(const float* input, int* counts, int N) {
  const int i = blockIdx.x * block_size + threadIdx.x;
  const int kept = __syncthreads_count(i < N && input[i] > 0.0f);
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = kept;
  }
}

// One block makes the counts an exclusive scan of themselves, 1024 at a time.
__global__ void scan_counts(int* counts, int* count, int tiles) {
  int before = 0;  // kept in all earlier rounds
  for (int first = 0; first < tiles; first += block_size) {
    const int b = first + threadIdx.x;
    const int mine = b < tiles ? counts[b] : 0;
    const int sum = scan_warp(mine);
    int round_sum;
    const int offset = scan_block(__shfl_sync(all_lanes, sum, 31), round_sum);
    if (b < tiles) {
      counts[b] = before + offset + sum - mine;
    }
    before += round_sum;
  }
  if (threadIdx.x == 0) {
    *count = before;
  }
}

// Each kept element goes where counts[tile] and its rank in the tile say.
__global__ void write_kept(const float* input, const int* counts, float* output,
                           int N) {
  const int lane = threadIdx.x % 32;
  const int i = blockIdx.x * block_size + threadIdx.x;
  const float x = i < N ? input[i] : 0.0f;
  const bool kept = x > 0.0f;
  // [hole rank: ~5 lines] How many elements of the tile before i are kept?
  const int rank = 32 * (threadIdx.x / 32) + lane;  // if all were
  // [/hole]
  if (kept) {
    output[counts[blockIdx.x] + rank] = x;
  }
}

extern "C" void solve(const float* input, float* output, int* count, int N) {
  if (N == 0) return;
  const int tiles = (N + block_size - 1) / block_size;
  int* counts = workspace.get<int>(tiles);
  count_kept<<<tiles, block_size>>>(input, counts, N);
  CUDA_CHECK(cudaGetLastError());
  scan_counts<<<1, block_size>>>(counts, count, tiles);
  CUDA_CHECK(cudaGetLastError());
  write_kept<<<tiles, block_size>>>(input, counts, output, N);
  CUDA_CHECK(cudaGetLastError());
}
