//! # Exercise 4: find the bug {#transpose_ex_04}
//! @builds-on step_05_rows_per_thread
//! @stub-fails wrong at rows=33,cols=33 rows=64,cols=128 passes rows=32,cols=32 rows=16,cols=31
//! @goal global.store.sectors == ideal at rows=512,cols=384
//! @goal shared.wavefronts == ideal at rows=512,cols=384
//! @solution
//!
//! The elements of each tile were turned, the tiles were not: what belongs to the tile
//! in row r and column c of the output was written to row c, column r. Its rows begin at
//! `first_col`, since the input's columns are the output's rows, and its columns at
//! `first_row`.
//!
//! On the diagonal the two are the same, so a matrix of one tile is right, and so
//! is any square of equal numbers whose side is a multiple of 32. The guard was
//! wrong in the same way, which kept all writes inside the output: nothing trapped.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements
constexpr int block_rows = 8;  // of threads, each for every eighth row

// [hole all: 2 lines of ~45 are wrong] It is right for 32 x 32 and below.
// [stub] __global__ void transpose(const float* input, float* output, int rows,
// [stub]                           int cols) {
// [stub]   __shared__ float tile[tile_size][tile_size + 1];  // + 1 parts the banks
// [stub]   const int tiles_across = (cols + tile_size - 1) / tile_size;
// [stub]   const int first_row = blockIdx.x / tiles_across * tile_size;
// [stub]   const int first_col = blockIdx.x % tiles_across * tile_size;
// [stub]   const int x = threadIdx.x;
// [stub]
// [stub] #pragma unroll
// [stub]   for (int y = threadIdx.y; y < tile_size; y += block_rows) {
// [stub]     if (first_row + y < rows && first_col + x < cols) {
// [stub]       tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
// [stub]     }
// [stub]   }
// [stub]   __syncthreads();
// [stub] #pragma unroll
// [stub]   for (int y = threadIdx.y; y < tile_size; y += block_rows) {
// [stub]     if (first_row + y < cols && first_col + x < rows) {
// [stub]       output[int64_t{first_row + y} * rows + first_col + x] = tile[x][y];
// [stub]     }
// [stub]   }
// [stub] }
// [stub]
// [stub] extern "C" void solve(const float* input, float* output, int rows, int cols) {
// [stub]   if (rows == 0 || cols == 0) return;
// [stub]   const int tiles_across = (cols + tile_size - 1) / tile_size;
// [stub]   const int tiles_down = (rows + tile_size - 1) / tile_size;
// [stub]   const dim3 block(tile_size, block_rows);
// [stub]   transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
// [stub]   CUDA_CHECK(cudaGetLastError());
// [stub] }
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
// [/hole]
