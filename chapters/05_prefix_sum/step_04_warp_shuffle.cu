//! # Step 04: scan in registers {#prefix_sum_step_04}
//! @builds-on step_03_blelloch
//! @new   __shfl_up_sync, scan of scans
//! @claim barriers <= 0.2 x step_03 at N=4096
//! @claim shared.load.requests <= 0.2 x step_03 at N=4096
//! @claim shared.load.wavefronts == ideal at N=4096
//! @claim differing_repeats == 0 at N=70001
//!
//! **Idea.** The 32 threads of a warp run together and can hand values to each
//! other without memory and without barriers: `__shfl_up_sync(mask, x, d)` gives
//! each lane the `x` of the lane d below it. That is a round of step 02 in two
//! instructions, and five such rounds scan a warp:
//!
//!     other = __shfl_up_sync(all_lanes, sum, distance);
//!     if (lane >= distance) sum += other;
//!
//! The lowest lanes have nobody that far below; they get their own value back and
//! must not add it, hence the condition. The shuffle itself stands outside of it,
//! because all lanes named in the mask have to take part.
//!
//! **A block is a scan of scans.** What the host does with tiles we do once more
//! within a block. Each of its 8 warps scans 32 elements, and its last lane, which
//! knows the warp's sum, leaves it in shared memory. The first warp scans the 8
//! sums. Then every warp adds what the warps before it sum to. Three levels in
//! all, elements in a warp, warps in a block, tiles in the grid, and the same
//! three moves at each: scan the parts, scan their sums, add.
//!
//! **But is it not wasteful?** Five rounds on 32 elements are 129 additions instead
//! of 31. They cost nothing: the lanes that a work-efficient tree would leave idle
//! occupy the same instruction. Work efficiency counts additions; a GPU
//! counts instructions, and here a warp has ten for 32 elements. Within a warp
//! step 02's algorithm is the right one, and the tree pays across blocks.
//!
//! **Cost.** Two barriers where there were 19, and two accesses of shared memory
//! for a warp where there were dozens. The bytes to and from memory are unchanged.
//! Tiles are 256 again, so at 250 000 elements there are five launches again where
//! step 03 has three, and it loses there. Step 05 takes care of the tiles' size.
//!
//! **Predict.** If what remains is the traffic, how near to 16 bytes an element
//! over the copy ceiling should this be?
//!
//! **Try.** Drop the condition `lane >= distance`. What comes out for N = 1, and
//! why just that?
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
    const float other = __shfl_up_sync(all_lanes, sum, distance);
    if (lane >= distance) {
      sum += other;
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
