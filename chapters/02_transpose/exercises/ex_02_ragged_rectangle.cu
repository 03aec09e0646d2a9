//! # Exercise 2: a ragged rectangle {#transpose_ex_02}
//! @builds-on step_05_rows_per_thread
//! @stub-fails trap at rows=33,cols=31 passes rows=64,cols=32
//! @goal global.load.sectors == ideal at rows=512,cols=384
//! @goal global.store.sectors == ideal at rows=512,cols=384
//! @goal shared.wavefronts == ideal at rows=512,cols=384
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements
constexpr int block_rows = 8;  // of threads, each for every eighth row

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size + 1];  // + 1 parts the banks
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_row = blockIdx.x / tiles_across * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x;

  // [hole body: 2 lines more] Put and take what exists, of every tile.
#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < tile_size; y += block_rows) {
    output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y];
  }
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, block_rows);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
