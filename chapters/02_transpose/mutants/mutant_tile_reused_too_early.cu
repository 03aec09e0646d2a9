//! # Mutant: a second tile is put before the first is taken
//! @builds-on step_04_padded
//! @fails trap racecheck at rows=64,cols=32 passes rows=32,cols=32
//!
//! Each block turns two tiles, one below the other. The barrier between putting and
//! taking is there; the one between taking and the next putting is not.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size + 1];  // + 1 parts the banks
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_tile_row = blockIdx.x / tiles_across * 2 * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x, y = threadIdx.y;

  for (int part = 0; part < 2; ++part) {
    const int first_row = first_tile_row + part * tile_size;
    if (first_row + y < rows && first_col + x < cols) {
      tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
    }
    __syncthreads();
    if (first_col + y < cols && first_row + x < rows) {
      output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y];
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + 2 * tile_size - 1) / (2 * tile_size);
  const dim3 block(tile_size, tile_size);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
