//! # Exercise 3: swizzle {#transpose_ex_03}
//! @builds-on step_06_swizzled
//! @stub-fails goal
//! @goal shared.load.wavefronts == ideal at rows=512,cols=384
//! @goal shared.store.wavefronts == ideal at rows=512,cols=384
//! @goal global.load.sectors == ideal at rows=512,cols=384
//! @goal global.store.sectors == ideal at rows=512,cols=384
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_rows = 32, tile_cols = 64;  // of the input
constexpr int block_rows = 8;                  // 32 x 8 threads

// Where element (row, col) of a tile is kept: below tile_rows * tile_cols, each
// in a place of its own.
__device__ int place(int row, int col) {
  // [hole place: 1 line] Neither rows nor columns may meet in a bank.
  return row * tile_cols + col;
  // [/hole]
}

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_rows * tile_cols];
  const int tiles_across = (cols + tile_cols - 1) / tile_cols;
  const int first_row = blockIdx.x / tiles_across * tile_rows;
  const int first_col = blockIdx.x % tiles_across * tile_cols;

  for (int row = threadIdx.y; row < tile_rows; row += block_rows) {
    for (int col = threadIdx.x; col < tile_cols; col += 32) {
      if (first_row + row < rows && first_col + col < cols) {
        tile[place(row, col)] =
            input[int64_t{first_row + row} * cols + first_col + col];
      }
    }
  }
  __syncthreads();
  const int row = threadIdx.x;
  for (int col = threadIdx.y; col < tile_cols; col += block_rows) {
    if (first_row + row < rows && first_col + col < cols) {
      output[int64_t{first_col + col} * rows + first_row + row] =
          tile[place(row, col)];
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_cols - 1) / tile_cols;
  const int tiles_down = (rows + tile_rows - 1) / tile_rows;
  const dim3 block(32, block_rows);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
