//! # Step 03: a tile in shared memory {#transpose_step_03}
//! @builds-on step_02_naive_write
//! @new   __shared__, __syncthreads, bank conflict, wavefront
//! @claim global.load.sectors == ideal at rows=512,cols=384
//! @claim global.store.sectors == ideal at rows=512,cols=384
//! @claim shared.store.wavefronts_per_request == 1 at rows=512,cols=384
//! @claim shared.load.wavefronts_per_request == 32 at rows=512,cols=384
//! @claim shared.load.wavefronts == 32 x ideal at rows=512,cols=384
//!
//! **Idea.** Read a tile the way reads like it, write it the way writes like it,
//! and turn it in between, in a memory that has no sectors. `__shared__` memory
//! lies in the multiprocessor; all threads of a block have it in common, and it
//! is gone when the block ends.
//!
//! @picture transpose_walk
//!
//! The thread that reads an element is no longer the one that writes it. Thread
//! (x, y) *puts* element (y, x) of the tile and *takes* element (x, y), which
//! another warp has put there. `__syncthreads()` makes all threads of the block
//! wait for each other, so that everything is put before anything is taken.
//!
//! **Two guards.** A tile that hangs over the edge of the input hangs over the
//! output's edge as well, but turned: of a tile of 32 x 5 elements, 5 lanes of
//! each warp read, while all lanes of five warps write. Hence a guard of
//! its own for each, and a thread that has nothing to read must not leave: others
//! wait for it at the barrier, and it may have something to write.
//!
//! **Cost.** Both sides coalesced: 4 sectors a warp each way. The price is paid
//! inside. Shared memory has 32 *banks*, each as wide as a float: word w is in
//! bank w % 32. In one pass, a *wavefront*, each bank gives one word. `tile[y][x]`
//! with x = 0 to 31 hits every bank once. `tile[x][y]` has its lanes 32 words
//! apart: all in one bank, and the request takes 32 wavefronts, one a lane.
//!
//! @picture banks tile=32 pad=0
//!
//! **Slower than its parent?** On the card of our results it is, though every
//! counter of global memory is at its best. Step 02's reads were untidy, but its
//! L1 tidied up: what went to memory was right already. What we gave in return is
//! the conflict, which step 04 removes, and a barrier at which 1024 threads wait
//! for the slowest, which step 05 is about. A counter says what a kernel asks for;
//! it does not say what the kernel waits for.
//!
//! **Predict.** On paper, shared memory delivers some seven times as many bytes a
//! second as the GPU's main memory. Does a 32-fold conflict hurt?
//!
//! **Try.** Remove the barrier. `./ladder check` says who read too early, at
//! every size above 1 x 1; a GPU may well get it right, as often as you look.
#include <cstdint>

#include "common/check.hpp"

constexpr int tile_size = 32;  // a block takes 32 x 32 elements

__global__ void transpose(const float* input, float* output, int rows,
                          int cols) {
  __shared__ float tile[tile_size][tile_size];  // as it lies in the input
  const int tiles_across = (cols + tile_size - 1) / tile_size;
  const int first_row = blockIdx.x / tiles_across * tile_size;
  const int first_col = blockIdx.x % tiles_across * tile_size;
  const int x = threadIdx.x, y = threadIdx.y;

  if (first_row + y < rows && first_col + x < cols) {
    tile[y][x] = input[int64_t{first_row + y} * cols + first_col + x];
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
