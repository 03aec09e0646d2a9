//! # Mutant: float4, whatever the length of a row
//! @builds-on step_07_vectorized
//! @fails trap at rows=4,cols=5 passes rows=8,cols=12
//!
//! Only the output's rows are asked about. Row 1 of an input with 5 columns begins at
//! byte 20, and a float4 there traps.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;       // a block takes 32 x 32 elements
constexpr int block_rows = 8;       // of threads, each for every eighth row
constexpr int wide_tile_size = 64;  // for float4: 64 x 64 elements
constexpr int squares = wide_tile_size / 4;  // of 4 x 4 elements, each way

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
      output[int64_t{first_col + y} * rows + first_row + x] = tile[x][y ^ x];
    }
  }
}

// For rows and cols that are multiples of 4. Thread (x, y) has square (x, y).
__global__ void transpose_float4(const float* input, float* output, int rows,
                                 int cols) {
  // As it lies in the output: float4 q of row r is at [r][q ^ (r / 4 % 8)].
  __shared__ float4 tile[wide_tile_size][squares];
  const int tiles_down = (rows + wide_tile_size - 1) / wide_tile_size;
  const int first_row = blockIdx.x % tiles_down * wide_tile_size;
  const int first_col = blockIdx.x / tiles_down * wide_tile_size;
  const int x = threadIdx.x, y = threadIdx.y;

  const int row = first_row + 4 * y, col = first_col + 4 * x;
  if (row < rows && col < cols) {
    const float* from = input + int64_t{row} * cols + col;
    const float4 a = *reinterpret_cast<const float4*>(from);
    const float4 b = *reinterpret_cast<const float4*>(from + cols);
    const float4 c = *reinterpret_cast<const float4*>(from + 2ll * cols);
    const float4 d = *reinterpret_cast<const float4*>(from + 3ll * cols);
    const int place = y ^ (x % 8);
    tile[4 * x][place] = make_float4(a.x, b.x, c.x, d.x);
    tile[4 * x + 1][place] = make_float4(a.y, b.y, c.y, d.y);
    tile[4 * x + 2][place] = make_float4(a.z, b.z, c.z, d.z);
    tile[4 * x + 3][place] = make_float4(a.w, b.w, c.w, d.w);
  }
  __syncthreads();
#pragma unroll
  for (int r = y; r < wide_tile_size; r += squares) {
    if (first_col + r < cols && first_row + 4 * x < rows) {
      float* to = output + int64_t{first_col + r} * rows + first_row + 4 * x;
      *reinterpret_cast<float4*>(to) = tile[r][x ^ (r / 4 % 8)];
    }
  }
}

// Whether all rows of a matrix begin at multiples of 16 bytes.
bool takes_float4(const float* matrix, int row_length) {
  return row_length % 4 == 0 && reinterpret_cast<uintptr_t>(matrix) % 16 == 0;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  if (takes_float4(output, rows)) {
    const int tiles = ((cols + wide_tile_size - 1) / wide_tile_size) *
                      ((rows + wide_tile_size - 1) / wide_tile_size);
    const dim3 block(squares, squares);
    transpose_float4<<<tiles, block>>>(input, output, rows, cols);
    CUDA_CHECK(cudaGetLastError());
    return;
  }
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, block_rows);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
