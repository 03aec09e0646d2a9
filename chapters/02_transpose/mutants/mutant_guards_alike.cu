//! # Mutant: the second guard is a copy of the first
//! @builds-on step_04_padded
//! @fails trap at rows=33,cols=33 passes rows=64,cols=32
//!
//! A tile that hangs over the input's right edge hangs over the output's bottom
//! edge; asked about the input's edge again, threads write below the output.
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
  if (first_row + y < rows && first_col + x < cols) {
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
