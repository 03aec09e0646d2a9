//! # Mutant: tiles down the matrix are the y of the grid
//! @builds-on step_01_naive_read
//! @fails trap at rows=2097121,cols=1 passes rows=1025,cols=1
//!
//! The natural grid, and right for most matrices: a grid's y ends at 65535, which
//! is 2 097 120 rows. The launch of a taller one is refused.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  const int row = blockIdx.y * tile_size + threadIdx.y;
  const int col = blockIdx.x * tile_size + threadIdx.x;
  if (row < rows && col < cols) {
    output[int64_t{col} * rows + row] = input[int64_t{row} * cols + col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, tile_size);
  const dim3 grid(tiles_across, tiles_down);
  transpose<<<grid, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
