//! # Step 02: look back 1, 2, 4, 8 {#prefix_sum_step_02}
//! @rewrites step_01_serial
//! @new   Hillis-Steele scan, double buffer, tile, recursion on the host
//! @claim launches == 3 at N=4096
//! @claim launches == 5 at N=70001
//! @claim flops.f32 >= 28672 at N=4096
//! @claim global.load.sectors >= 1024 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim shared.load.wavefronts == ideal at N=4096
//! @claim shared.store.wavefronts == ideal at N=4096
//! @claim differing_repeats == 0 at N=70001
//!
//! **Idea.** Let every element have a thread, and let the threads double what
//! they know. After the first round a thread's sum covers its own element and
//! the one before. It adds the sum of the thread two to the left, which covers
//! two more, then of the one four to the left, which covers four:
//!
//!     input        3  1  7  0  4  1  6  3
//!     distance 1   3  4  8  7  4  5  7  9
//!     distance 2   3  4 11 11 12 12 11 14
//!     distance 4   3  4 11 11 15 16 22 25
//!
//! @picture scan_tree kind=hillis_steele
//!
//! After log2(n) rounds every sum reaches back to the start: 8 rounds for the 256
//! elements of a block instead of 255 additions one after another. This is the
//! scan of Hillis and Steele (*Data Parallel Algorithms*, 1986).
//!
//! **Two buffers.** In a round all threads read what their neighbours had
//! *before* it. With one array in shared memory a fast warp would overwrite a
//! value that a slow one has still to read, and a second barrier would be needed.
//! Here the rounds take turns with two arrays: what is written in one round is
//! read in the same round after the barrier, and is overwritten two rounds, hence
//! two barriers, later. One barrier a round is enough.
//!
//! **More than a block.** A block can only scan its own *tile* of 256 elements,
//! since blocks cannot wait for each other. So do what one does with a long bill:
//! subtotals. Each block scans its tile and writes down the tile's sum. Then the
//! array of sums, 256 times shorter, is scanned by *the same function*, which may
//! need sums of sums in turn. Then each tile adds the sum of all tiles before it:
//! tile b adds scanned sum b - 1. Tile 0 adds nothing and is not even launched.
//!
//! Launches in one stream run one after the other, so a kernel finds all that the
//! one before has written. That is the only synchronisation between blocks here.
//!
//! **Cost.** Some n log2(n) additions where n would do: 7 an element instead of 1
//! within a tile. And the array goes through memory twice, once for the tiles and
//! once for the offsets: 16 bytes an element where 8 are the floor.
//!
//! **Predict.** Twice the bytes, seven times the additions, and 8 barriers. Which
//! of the three will cost most?
//!
//! **Try.** Use one array instead of two. What does racecheck say? Then put the
//! second barrier in.
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
