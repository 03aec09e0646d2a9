//! # Step 02: one block of threads {#vector_add_step_02}
//! @builds-on step_01_one_thread
//! @new   threadIdx, blockDim, warp, memory request, coalescing
//! @claim global.load.requests == 0.03125 x step_01 at N=4096
//! @claim global.load.sectors == 0.125 x step_01 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.store.sectors == ideal at N=4096
//!
//! **Idea.** Let 256 threads share the loop. All of them run the same code; a
//! thread learns who it is from `threadIdx.x` (0 to 255) and how many there are
//! from `blockDim.x` (256). Each takes every 256th element:
//!
//!     i:       0  1  2 ... 255 | 256 257 258 ... 511 | 512 ...
//!     thread:  0  1  2 ... 255 |   0   1   2 ... 255 |   0 ...
//!
//! Why not give thread 0 the first N/256 elements, thread 1 the next, as one
//! would on a CPU? Because the hardware runs threads in groups of 32, called
//! *warps*, and a warp's 32 loads leave as **one request**. Memory is moved in
//! *sectors* of 32 bytes. When the lanes of a warp ask for 32 neighbours, 128
//! bytes, the request needs just four sectors and every byte of them is used:
//! the access is *coalesced*. Were each lane in a stretch of its own, the same
//! request would need 32 sectors, and throw away seven eighths of each.
//!
//! **Cost.** The same elements in 1/32 of the requests and, since a lone thread
//! spends a whole sector on 4 bytes, in 1/8 of the sectors. The emulator counts
//! both; `ideal` is the fewest sectors that the bytes asked for could fill.
//!
//! **Predict.** 256 threads: 256 times as fast? The block lives on one of the
//! GPU's multiprocessors; what do the others do?
//!
//! **Try.** Give each thread a stretch of its own instead. Still right, but how
//! many sectors does it load now?
#include "common/check.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  for (int i = threadIdx.x; i < N; i += blockDim.x) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  vector_add<<<1, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
