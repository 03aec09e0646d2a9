//! # Step 01: coalesced reads {#transpose_step_01}
//! @new   matrices in memory, two-dimensional blocks, strided access
//! @claim launches == 1 at rows=512,cols=384
//! @claim global.load.sectors_per_request == 4 at rows=512,cols=384
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors_per_request == 32 at rows=512,cols=384
//! @claim global.store.sectors == 8 x ideal at rows=512,cols=384
//!
//! **Idea.** One thread for each element: read it, write it to its new place.
//!
//! A matrix lies in memory row by row. Element (row, col) of the input, which has
//! rows of `cols` floats, is number `row * cols + col`. The output has rows of
//! `rows` floats, and there the same element is number `col * rows + row`.
//!
//! A block is 32 x 32 threads here. `threadIdx` has an x and a y, and x runs
//! fastest: lanes 0 to 31 of a warp are x = 0 to 31, all with the same y. We let
//! x count columns, so a warp reads 32 neighbours of one row: 128 bytes, four
//! sectors, *coalesced*. Then it writes. Its lanes agree in the row and differ in
//! the column, so in the output they are whole rows apart:
//!
//! @picture lanes_on_sectors stride=8 | What the writes are like, with rows of 8 floats for lack of room: one sector a lane, and 4 of its 32 bytes written.
//!
//! **The grid** is numbered in one dimension, and each block finds its own place
//! by a division. A grid can have a y as well, but no more than 65535 of it: a
//! matrix of three million rows would not fit.
//!
//! **64 bits.** rows * cols may pass 2^31, though neither does by itself. The
//! `int64_t` in front makes the product, and so the index, 64 bits wide.
//!
//! **Cost.** 4 sectors read and 32 written by each warp, for 128 bytes each way.
//! A store of 4 bytes into a sector of 32 need not cost eightfold, though: the L2
//! cache may collect the pieces before they go to memory, if they come in time.
//!
//! **Predict.** Which would you rather have coalesced, the reads or the writes?
//!
//! **Try.** Leave out the guard and run it at rows = 33, cols = 31.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int row = blockIdx.x / tiles_across * tile_size + threadIdx.y;
  const int col = blockIdx.x % tiles_across * tile_size + threadIdx.x;
  if (row < rows && col < cols) {
    output[int64_t{col} * rows + row] = input[int64_t{row} * cols + col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, tile_size);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
