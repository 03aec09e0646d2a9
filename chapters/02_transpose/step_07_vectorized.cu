//! # Step 07: float4 both ways {#transpose_step_07}
//! @builds-on step_06_swizzled
//! @new   float4 through registers, 4 x 4 in registers, order of blocks
//! @claim global.load.requests == 0.25 x step_06 at rows=512,cols=384
//! @claim global.store.requests == 0.25 x step_06 at rows=512,cols=384
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//! @claim shared.load.wavefronts == ideal at rows=512,cols=384
//! @claim shared.store.wavefronts == ideal at rows=512,cols=384
//! @claim instructions.warp <= 0.3 x step_06 at rows=512,cols=384
//! @claim global.load.sectors == 1 x step_06 at rows=511,cols=383
//!
//! **Idea.** Load float4 and store float4. But four neighbours of a row end up in
//! four rows of the output; who makes a float4 of what stands in a column?
//!
//! A thread can, if it has four rows: it loads four float4, one below the other,
//! which are a square of 4 x 4 elements. `{a.x, b.x, c.x, d.x}` is the square's
//! first column, and the first row of the turned square. Nothing is moved to turn
//! it: the sixteen values lie in registers, and it is only a matter of which
//! go together into the next instruction.
//!
//!     loaded, four rows        put, four rows
//!     a.x  a.y  a.z  a.w       a.x  b.x  c.x  d.x
//!     b.x  b.y  b.z  b.w       a.y  b.y  c.y  d.y
//!     c.x  c.y  c.z  c.w       a.z  b.z  c.z  d.z
//!     d.x  d.y  d.z  d.w       a.w  b.w  c.w  d.w
//!
//! Shared memory then turns the tile of squares, as ever, in units of 16 bytes.
//! The tile is 64 x 64 elements, 16 x 16 squares, one for each of 256 threads.
//!
//! **Banks of float4.** A warp that accesses 16 bytes a lane is served in four
//! wavefronts, eight lanes each, and these eight must fall into different banks.
//! When a warp puts, eight neighbours x = 0 to 7 write to rows four apart, 1024
//! bytes, in the same place of each. So the place is shifted by x, `y ^ (x % 8)`:
//! the swizzle of step 06 in units of four banks. A float4 of padding would not
//! do: with rows four apart, lanes two apart would still meet.
//!
//! **Order of blocks.** Blocks usually start in about the order of their numbers,
//! though CUDA does not promise it; only speed depends on it here. We number tiles
//! *down* the columns: neighbours in time write neighbours in memory, and read far
//! apart. In a trial that was a little faster than across, for the reason that step
//! 02 was faster than step 01: of the two, it is writes that like company.
//!
//! **Where float4 do not fit**, because a row's length is no multiple of 4 (or a
//! pointer none of 16), step 06 does the work, and takes its time. The way round
//! it is a pitch: rows longer than needed.
//!
//! **A trap on the way here.** Let the first eight lanes of each warp load a row of
//! a 32 x 32 tile as float4, `if (lane < 8) ... else if (inside)`, the `else` being
//! meant for tiles at the edge. It lets the other 24 lanes of *every* warp load
//! their elements, too. All answers are right, all requests are coalesced and
//! equal to their ideal; and four sectors a row have become seven. Compare sums with
//! those of the step before (`mutants/mutant_other_lanes_load_too.cu`).
//!
//! **What did not help**, in a trial on the card our results come from: streaming hints
//! (`__stcs` on the writes, `__ldcs` on the reads), skipping the L1, tiles of 32 x 32
//! (slower) and of 128 x 128 (no faster), blocks along diagonals (no better
//! than across), and leaving out shared memory altogether. A warp of 4 x 8
//! squares can store them straight from its registers, every sector whole; but
//! it writes 64 bytes in a row where the tile makes 256, and was slower.
//!
//! **Predict.** How near to a plain copy can this come? What is left?
//!
//! **Try.** Number the tiles across. Then take the swizzle out, and profile.
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
  if (takes_float4(input, cols) && takes_float4(output, rows)) {
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
