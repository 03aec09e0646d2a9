//! # Step 04: the grid-stride loop {#vector_add_step_04}
//! @builds-on step_03_one_thread_per_element
//! @new   gridDim, cudaDeviceGetAttribute, grid-stride loop
//! @claim global.load.requests == 1 x step_03 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.store.sectors == ideal at N=4096
//!
//! **Idea.** Bring the loop back, with the whole grid as its stride. The grid no
//! longer depends on N: it is as large as the machine, eight blocks of 256 for
//! each multiprocessor. That makes 2048 threads, all that one of an H200 can
//! hold (on other GPUs, which hold 1024 or 1536, the rest wait their turn).
//!
//!     for (i = my place in the grid; i < N; i += threads in the grid)
//!
//! It is step 02's loop with the grid in the block's place, and just as well
//! coalesced: in each turn neighbours still ask for neighbours. Now *any* grid
//! gives the right answer, so the size of the launch is yours to choose. The
//! loop's condition is also the guard, and N = 0 needs no special case.
//!
//! The index is 64 bits wide. At the end `i` passes N by up to a stride before
//! the loop stops, and with N near 2^31 an `int` would wrap to a negative number
//! there and go on, out of bounds. This course's N stays below that, but a
//! grid-stride loop is what people copy into programs whose N does not.
//!
//! **Cost.** The same memory traffic. A block of step 03 lives for one element a
//! thread, and then the next has to be set up in its place; here a block is set
//! up once. What is the same for all elements, an address, a coefficient, would
//! be computed once as well.
//!
//! **Predict.** Faster than step 03, slower, or the same?
//!
//! **Try.** Launch `<<<1, 32>>>`, then `<<<7, 96>>>`. Is it still right?
#include <cstdint>

#include "common/check.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024
constexpr int blocks_per_multiprocessor = 2048 / block_size;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int64_t stride = gridDim.x * blockDim.x;  // threads in the grid
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < N; i += stride) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors,
                                    cudaDevAttrMultiProcessorCount, device));
  const int blocks = blocks_per_multiprocessor * multiprocessors;
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
