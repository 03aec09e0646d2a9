//! # Mutant: lanes beside those of the float4 load as well
//! @builds-on step_04_padded
//! @goal global.load.sectors == 1 x step_04 at rows=512,cols=384
//! @fails goal
//!
//! Eight lanes of each warp load a row of the tile as float4. The `else` was meant
//! for tiles at the edge, but its condition is true inside too: there the other
//! 24 lanes load their own elements once more. Every answer is right, every request
//! is coalesced, and the traffic grows from four sectors a row to seven.
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

  const int quad = threadIdx.x;  // of four columns, for the first 8 lanes
  const bool full = first_row + tile_size <= rows &&
                    first_col + tile_size <= cols && cols % 4 == 0;
  const float* from = input + int64_t{first_row + y} * cols + first_col;
  if (full && quad < tile_size / 4) {
    const float4 v = reinterpret_cast<const float4*>(from)[quad];
    tile[y][4 * quad] = v.x;
    tile[y][4 * quad + 1] = v.y;
    tile[y][4 * quad + 2] = v.z;
    tile[y][4 * quad + 3] = v.w;
  } else if (first_row + y < rows && first_col + x < cols) {
    tile[y][x] = from[x];
  }
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
