//! # Mutant: all tiles of the window are added
//! @builds-on step_06_decoupled_lookback
//! @fails wrong at N=70001 passes N=24576
//!
//! The nearest tile that knows its prefix has all before it in its sum. Adding
//! those once more goes unnoticed with two tiles.
#include "common/check.hpp"
#include "common/device/float4.cuh"
#include "common/device/scan.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;  // threads
constexpr int warps = block_size / 32;
constexpr int vectors = 12;               // float4 of a thread
constexpr int warp_tile = 128 * vectors;  // elements of a warp
constexpr int tile = warps * warp_tile;   // elements of a block: 12288
constexpr unsigned delay = 600;           // ns, before the first look
constexpr unsigned all_lanes = 0xffffffff;

// What others may know of a tile. Low half: a sum. High half: 2 * call if it is
// the tile's own sum, 2 * call + 1 if all tiles before are in it; anything else
// is left over from an earlier call.
using State = unsigned long long;

ladder::Workspace workspace;
__device__ unsigned next_tile = 0;  // back at 0 when all tiles are taken

// One store for both halves: whoever sees one of them sees the other.
__device__ void publish(State* state, unsigned status, float sum) {
  *const_cast<volatile State*>(state) =
      State{status} << 32 | __float_as_uint(sum);
}

// What all tiles before `index` sum to. Called by one warp.
__device__ float look_back(const State* states, int index, unsigned call) {
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;  // of the tiles that this lane has looked at
  if (index > 0) __nanosleep(delay);
  for (int i = index - 1 - lane;; i -= 32) {
    State state = State{2 * call + 1} << 32;  // before tile 0 there is nothing
    unsigned prefixes, needed, known;         // a bit for each lane
    do {
      if (i >= 0) state = *const_cast<const volatile State*>(states + i);
      const unsigned status = state >> 32;
      prefixes = __ballot_sync(all_lanes, status == 2 * call + 1);
      needed = prefixes ^ (prefixes - 1);  // the nearest and all nearer tiles
      known = __ballot_sync(all_lanes, status / 2 == call);
    } while ((known & needed) != needed);
    sum += __uint_as_float(static_cast<unsigned>(state));
    if (prefixes != 0)
      return __shfl_sync(all_lanes, ladder::scan_warp(sum), 31);
  }
}

__global__ __launch_bounds__(block_size, 3)  // three at once: 80 registers
    void scan_tiles(const float* input, float* output, State* states,
                    unsigned call, int N) {
  __shared__ int shared_index;
  __shared__ float shared_prefix;
  if (threadIdx.x == 0) {
    shared_index = atomicInc(&next_tile, gridDim.x - 1);
  }
  __syncthreads();
  const int index = shared_index;  // this block's tile
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = index * tile + warp * warp_tile + 4 * lane;
  float4 x[vectors];
  float sum = 0.0f;
  for (int k = 0; k < vectors; ++k) {
    x[k] = ladder::load_float4(input, first + 128 * k, N);
  }
  for (int k = 0; k < vectors; ++k) {
    sum += (x[k].x + x[k].y) + (x[k].z + x[k].w);
  }
  float tile_sum;
  float offset = ladder::scan_block(ladder::scan_warp(sum), tile_sum);
  if (threadIdx.x == 0) {
    publish(states + index, 2 * call, tile_sum);
  }
  float before[vectors];  // the sum of the tile's elements left of x[k]
  for (int k = 0; k < vectors; ++k) {
    x[k].y += x[k].x;
    x[k].z += x[k].y;
    x[k].w += x[k].z;
    const float row_sum = ladder::scan_warp(x[k].w);
    const float left = __shfl_up_sync(all_lanes, row_sum, 1);
    before[k] = lane == 0 ? offset : offset + left;
    offset += __shfl_sync(all_lanes, row_sum, 31);
  }
  if (warp == 0) {
    const float prefix = look_back(states, index, call);
    if (lane == 0) {
      publish(states + index, 2 * call + 1, prefix + tile_sum);
      shared_prefix = prefix;
    }
  }
  __syncthreads();
  for (int k = 0; k < vectors; ++k) {
    const float add = shared_prefix + before[k];
    ladder::store_float4(
        output, first + 128 * k, N,
        {x[k].x + add, x[k].y + add, x[k].z + add, x[k].w + add});
  }
}

int known_tiles = 0;  // whose states have been cleared
unsigned calls = 0;   // since then

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int tiles = (N + tile - 1) / tile;
  State* states = workspace.get<State>(tiles);
  if (tiles > known_tiles || calls == 0x7fffffff) {
    CUDA_CHECK(cudaMemsetAsync(states, 0, tiles * sizeof(State)));
    known_tiles = tiles;
    calls = 0;
  }
  scan_tiles<<<tiles, block_size>>>(input, output, states, ++calls, N);
  CUDA_CHECK(cudaGetLastError());
}
