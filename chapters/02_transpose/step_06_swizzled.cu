//! # Step 06: a swizzle instead of padding {#transpose_step_06}
//! @builds-on step_05_rows_per_thread
//! @new   swizzle, exclusive or
//! @claim shared.wavefronts == ideal at rows=512,cols=384
//! @claim shared.load.wavefronts_per_request == 1 at rows=512,cols=384
//! @claim shared.store.wavefronts_per_request == 1 at rows=512,cols=384
//! @claim instructions.warp > 1 x step_05 at rows=512,cols=384
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//!
//! **Idea.** Shift each row by shuffling it in place instead of making it longer:
//! keep element (y, x) at `tile[y][x ^ y]`. `^` is *exclusive or*, bit by bit.
//!
//! For a fixed y, x ^ y runs through 0 to 31 as x does, in another order: nothing
//! collides and nothing gets lost. For a fixed x it does so as y does. So a row is
//! spread over 32 banks, and a column too.
//!
//! @picture banks tile=32 pad=0 swizzle=xor
//!
//! Whoever puts and whoever takes must use the same rule. Element (x, y), which
//! thread (x, y) takes, is at `tile[x][y ^ x]`.
//!
//! **Why bother?** Padding costs 3 % of the shared memory here, and that is
//! not why. A padded row is not a multiple of 16 bytes long, so a `float4` does not
//! find its place in it, nor can the tensor cores' loads and the copy engines of
//! newer GPUs, which want tiles that are whole powers of two. A swizzle keeps
//! them whole. The next step needs that.
//!
//! **Cost.** No space, but an exclusive or for each access. Step 05 computed one
//! address and found the other three at fixed distances from it, which cost
//! nothing; x ^ y has no fixed distances. That makes this step slightly *slower*
//! than its parent: for a tile of single floats, padding is the better remedy.
//!
//! **Predict.** Would `(x + y) % 32` do as well?
//!
//! **Try.** `tile[y][x ^ (y / 2)]`. How many wavefronts, and why?
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements
constexpr int block_rows = 8;  // of threads, each for every eighth row

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size];  // (y, x) is at [y][x ^ y]
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_row = blockIdx.x / tiles_across * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x;

#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    if (first_row + y < rows && first_col + x < cols) {
      tile[y][x ^ y] = input[int64_t{first_row + y} * cols + first_col + x];
    }
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    if (first_col + y < cols && first_row + x < rows) {
      output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y ^ x];
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
