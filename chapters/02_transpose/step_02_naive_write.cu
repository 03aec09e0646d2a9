//! # Step 02: coalesced writes {#transpose_step_02}
//! @builds-on step_01_naive_read
//! @new   reads through the L1 cache
//! @claim global.load.sectors_per_request == 32 at rows=512,cols=384
//! @claim global.load.sectors == 8 x ideal at rows=512,cols=384
//! @claim global.store.sectors_per_request == 4 at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//! @claim global.unique.read == 786432 at rows=512,cols=384
//!
//! **Idea.** Swap x and y. Now the lanes of a warp have the same column and
//! neighbouring rows: they write 32 neighbours and read with a stride.
//!
//! By the counters nothing is gained: what the writes save, the reads pay. But a
//! read and a write are not treated alike. A sector that is read stays in the L1
//! cache of its multiprocessor for a while, and seven other warps of this very
//! block want their 4 bytes of it. The counter counts what warps ask of the L1;
//! the distinct sectors behind it are those of the input and no more, each read
//! at least once (`global.unique.read` has their bytes: 4 for each element).
//! A write has no such luck: the L1 passes it on as it is.
//!
//! So if only one side can be coalesced, let it be the writes. The
//! measurements below say by how much.
//!
//! **Cost.** 32 sectors asked for and 4 written by each warp.
//!
//! **Predict.** A block reads 32 rows, 128 bytes of each: 4 KB. What happens to
//! the L1 if a block took 32 columns and 1024 rows instead?
//!
//! **Try.** `./ladder profile 02.02 --line`, beside that of 02.01.
#include <cstdint>

#include "common/check.hpp"

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

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int tiles_down = (rows + tile_size - 1) / tile_size;
  const dim3 block(tile_size, tile_size);
  transpose<<<tiles_across * tiles_down, block>>>(input, output, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
