//! # Exercise 1: fix the bank conflict {#transpose_ex_01}
//! @builds-on step_04_padded
//! @stub-fails goal
//! @goal shared.load.wavefronts == ideal at rows=512,cols=384
//! @goal shared.store.wavefronts == ideal at rows=512,cols=384
//! @goal global.load.sectors == ideal at rows=512,cols=384
//! @goal global.store.sectors == ideal at rows=512,cols=384
//! @solution
//!
//! Two words of padding. A warp takes from two neighbouring columns, 16 elements of
//! each. With rows of 34 words, going down a column visits banks 0, 2, 4 and so on: all the
//! even ones, each once. The next column has the odd ones.
//!
//! With 33 words a column visits banks 0 to 15 and its neighbour 1 to 16. They meet
//! in 15 of them, and one meeting would be enough for a second wavefront.
//!
//! Putting never was a problem: a warp puts one row of 32, in 32 banks, however
//! long the rows are.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_rows = 16, tile_cols = 32;  // of the input; 32 x 16 threads

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  // [hole tile: 1 line] Find the width at which no two lanes meet in a bank.
  // [stub] __shared__ float tile[tile_rows][tile_cols + 1];
  __shared__ float tile[tile_rows][tile_cols + 2];
  // [/hole]
  const int tiles_across = (cols + tile_cols - 1) / tile_cols;
  const int first_row = blockIdx.x / tiles_across * tile_rows;
  const int first_col = blockIdx.x % tiles_across * tile_cols;
  const int x = threadIdx.x, y = threadIdx.y;

  if (first_row + y < rows && first_col + x < cols) {
    tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
  }
  __syncthreads();
  // The output's tile has 16 columns: half a warp takes one column of the input.
  const int thread = y * tile_cols + x;
  const int row = thread % tile_rows, col = thread / tile_rows;
  if (first_col + col < cols && first_row + row < rows) {
    output[int64_t{first_col + col} * rows + first_row + row] = tile[row][col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_cols - 1) / tile_cols;
  const int tiles_down = (rows + tile_rows - 1) / tile_rows;
  const dim3 block(tile_cols, tile_rows);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
