//! # Mutant: an answer kept from an earlier call
//! @builds-on step_02_naive_write
//! @fails wrong at rows=33,cols=31
//!
//! The first answer of each shape is kept and handed out again, whatever the input
//! holds by then.
#include <cstdint>

#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int row = blockIdx.x / tiles_across * tile_size + threadIdx.x;
  const int col = blockIdx.x % tiles_across * tile_size + threadIdx.y;
  if (row < rows && col < cols) {
    output[int64_t{col} * rows + row] = input[int64_t{row} * cols + col];
  }
}

ladder::Workspace kept;
int kept_rows = 0, kept_cols = 0;

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const size_t count = int64_t{rows} * cols, bytes = count * sizeof(float);
  float* answer = kept.get<float>(count);
  if (rows == kept_rows && cols == kept_cols) {
    CUDA_CHECK(
        cudaMemcpyAsync(output, answer, bytes, cudaMemcpyDeviceToDevice));
    return;
  }
  kept_rows = rows;
  kept_cols = cols;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, tile_size);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(answer, output, bytes, cudaMemcpyDeviceToDevice));
}
