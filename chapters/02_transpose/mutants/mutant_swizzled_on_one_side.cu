//! # Mutant: put where the swizzle says, taken where it does not
//! @builds-on step_06_swizzled
//! @fails wrong at rows=32,cols=32 passes rows=1,cols=7
//!
//! Row 0 of a tile is not shuffled, so a single row comes out right.
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
