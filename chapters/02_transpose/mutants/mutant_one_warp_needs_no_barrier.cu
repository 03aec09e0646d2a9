//! # Mutant: a warp that trusts its lock step
//! @builds-on step_05_rows_per_thread
//! @fails trap racecheck at rows=32,cols=32
//!
//! One warp takes a whole tile, so the barrier was thought to be for others. Lanes
//! of a warp are free to part since Volta; `__syncwarp()` is the least it takes.
//! Whoever tests it on a GPU sees it right.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements
constexpr int block_rows = 1;  // of threads, one warp

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
