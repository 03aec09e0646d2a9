//! # Mutant: the element is added to what was there
//! @builds-on step_02_naive_write
//! @fails wrong at rows=1,cols=1
//!
//! `+=` for `=`: right where the output happens to hold zeros.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int row = blockIdx.x / tiles_across * tile_size + threadIdx.x;
  const int col = blockIdx.x % tiles_across * tile_size + threadIdx.y;
  if (row < rows && col < cols) {
    output[int64_t{col} * rows + row] += input[int64_t{row} * cols + col];
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
