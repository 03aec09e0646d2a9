//! # Step 03: up the tree and down again {#prefix_sum_step_03}
//! @builds-on step_02_hillis_steele
//! @new   Blelloch scan, work efficiency, padding against bank conflicts
//! @claim flops.f32 <= 0.52 x step_02 at N=4096
//! @claim instructions.warp >= 1.3 x step_02 at N=4096
//! @claim barriers >= 1.1 x step_02 at N=4096
//! @claim shared.load.wavefronts == ideal at N=4096
//! @claim shared.store.wavefronts == ideal at N=4096
//! @claim differing_repeats == 0 at N=70001
//!
//! **Idea.** Step 02 adds the same pairs over and over. Add them once, in a tree,
//! and keep the sums that arise on the way:
//!
//!                  3   1   7   0   4   1   6   3
//!     distance 1   3  [4]  7  [7]  4  [5]  6  [9]
//!     distance 2   3   4   7 [11]  4   5   6 [14]
//!     distance 4   3   4   7  11   4   5   6 [25]   the sum of the tile
//!
//! Up to here it is a reduction. Now go down. Every node of the tree is told what
//! precedes *all* of its elements. For the root that is nothing: 0. A node hands
//! its own to its left half; the right half is preceded by that *and* by the sum
//! of the left half, which the way up has left in the left half's place:
//!
//!     root         3   4   7  11   4   5   6  [0]   preceded by nothing
//!     distance 4   3   4   7  [0]  4   5   6 [11]
//!     distance 2   3  [0]  7  [4]  4 [11]  6 [16]
//!     distance 1  [0] [3] [4][11][11][15][16][22]
//!
//! @picture scan_tree kind=blelloch
//!
//! This is Blelloch's scan (*Prefix Sums and Their Applications*, 1990). What is
//! left at the bottom is *exclusive*, the sum before each element, so each thread
//! adds its own element at the end.
//!
//! **Work-efficient.** n - 1 additions up, n - 1 down, n at the end: 3 an element
//! and not log2(n), whatever the size of the tile. The rounds are twice as many.
//!
//! A thread now has two elements, and a tile is 512. It loads t and t + 256 rather
//! than 2t and 2t + 1, because neighbours should load neighbours.
//!
//! **Bank conflicts.** Shared memory has 32 banks; element i is in bank i mod 32.
//! At distance d, neighbouring threads stand 2d elements apart: at distance 8 the
//! 32 lanes of a warp share two banks, and at distance 16 the 16 threads that still
//! have work hit one, so that in either case 16 wavefronts serve them. The cure is
//! a hole after every 32 elements: element i is kept at i + i / 32. Then what was
//! 32 apart is 33 apart, in the next bank. `place` does that, and the counters say
//! that not a single wavefront is wasted, at any distance.
//!
//! @picture banks access=stride stride=16 | Without the holes, at distance 8: two banks, 16 wavefronts.
//!
//! **Cost.** Half the additions. But count what else there is: 18 rounds, each with
//! a barrier, and most threads idle in most of them. Five of the nine rounds each
//! way have less than one warp of work, while seven warps wait. A warp instruction
//! costs the same with one lane as with 32, and of these there are *more* than in
//! step 02.
//!
//! **What came of it.** On the card of our results it is *slower* than step 02 at a
//! hundred million elements, where these instructions and barriers decide. At 250 000
//! it is faster, for another reason: with tiles of 512 the sums fit one tile, and
//! three launches do instead of five. Fewer operations on paper are not less time.
//!
//! **Predict.** Half the additions: what would you have said?
//!
//! **Try.** Let `place` return i. How many wavefronts does it take now?
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
    __syncthreads();
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
