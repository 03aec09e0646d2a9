//! # Step 05: four rows a thread {#transpose_step_05}
//! @builds-on step_04_padded
//! @new   more work a thread, loads in flight
//! @claim instructions.warp <= 0.75 x step_04 at rows=512,cols=384
//! @claim barriers == 0.25 x step_04 at rows=512,cols=384
//! @claim global.load.requests == 1 x step_04 at rows=512,cols=384
//! @claim shared.wavefronts == ideal at rows=512,cols=384
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//!
//! **Idea.** Give the tile to 32 x 8 threads, and each of them four of its
//! elements, eight rows apart.
//!
//! The block of 1024 threads was a clumsy thing. It loads, then *all* of it stands
//! at the barrier until the slowest of its 32 warps has arrived, and then it
//! stores; and a multiprocessor of the H200 has room for two of them only, so half
//! of what it could do waits for one barrier. Blocks of 256 threads come by the
//! eight: while some wait, others load, and others store.
//!
//! Each thread now has four loads under way instead of one, since none of the
//! four needs another. (`#pragma unroll` writes the loop out, so that the compiler can
//! move all loads in front.) And what is computed once a thread, which tile, which
//! element to begin with, now serves four elements: the same work takes less than
//! three quarters of the instructions.
//!
//! **Cost.** The same requests and sectors, a quarter of the arrivals at barriers.
//!
//! **Predict.** The counters hardly move, beyond those of instructions and
//! barriers. Does the time?
//!
//! **Try.** 32 x 4 threads, and 32 x 16. What else would have to change?
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements
constexpr int block_rows = 8;  // of threads, each for every eighth row

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size + 1];  // + 1 parts the banks
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_row = blockIdx.x / tiles_across * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x;

#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    if (first_row + y < rows && first_col + x < cols) {
      tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
    }
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    if (first_col + y < cols && first_row + x < rows) {
      output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y];
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, block_rows);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
