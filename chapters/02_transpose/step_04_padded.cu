//! # Step 04: one column of padding {#transpose_step_04}
//! @builds-on step_03_shared_tile
//! @new   padding
//! @claim shared.wavefronts == ideal at rows=512,cols=384
//! @claim shared.load.wavefronts_per_request == 1 at rows=512,cols=384
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//!
//! **Idea.** Make the tile's rows 33 words long. Nobody uses the last one; it is
//! there so that the rows begin in different banks. Element (x, y) is now word
//! 33 x + y, in bank (x + y) % 32: along a row *and* along a column, 32 lanes find
//! 32 banks.
//!
//! @picture banks tile=32 pad=1
//!
//! One character of the program changes, and the conflicts are gone, all of them.
//!
//! **It is no spell.** "Add one" works because a warp walks down a column of 32
//! elements. Take a tile of 16 x 16, and 256 threads: a warp is then two rows of
//! the block; it puts two rows and takes two columns at a time, 16 elements of
//! each. With rows of 17 words the last element of the one and an element of
//! the other meet in a bank, and every request takes two wavefronts.
//!
//! @picture banks tile=16 pad=1
//!
//! Nothing but a counter will tell you. And no padding of this tile frees both
//! directions; what does comes in step 06. Exercise 1 has a tile for which some
//! padding is right, but not one word.
//!
//! **Cost.** 128 bytes more of shared memory a block, 4224 in all.
//!
//! **Predict.** 32 times fewer wavefronts for each load: how much faster will it be?
//!
//! **Try.** Two columns of padding instead of one, then three. Which numbers
//! work, and what have they in common?
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size + 1];  // + 1 parts the banks
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_row = blockIdx.x / tiles_across * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x, y = threadIdx.y;

  if (first_row + y < rows && first_col + x < cols) {
    tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
  }
  __syncthreads();
  if (first_col + y < cols && first_row + x < rows) {
    output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y];
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
