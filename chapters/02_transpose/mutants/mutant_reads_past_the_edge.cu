//! # Mutant: only the writes are guarded
//! @builds-on step_04_padded
//! @fails trap at rows=33,cols=31 passes rows=64,cols=32
//!
//! What is read past the edge is never used, so the output is right; the read itself
//! is the fault. It goes unseen until the matrix ends where memory does.
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

  tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
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
