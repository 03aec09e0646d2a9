//! # Step 05: four floats at a time {#vector_add_step_05}
//! @builds-on step_04_grid_stride
//! @new   float4, alignment, the tail
//! @claim global.load.requests == 0.25 x step_04 at N=4096
//! @claim global.store.requests == 0.25 x step_04 at N=4096
//! @claim global.load.sectors == 1 x step_04 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//!
//! **Idea.** Let each thread move 16 bytes with one instruction: a `float4`. A
//! warp's request then covers 512 bytes instead of 128, and the same bytes take
//! a quarter of the requests.
//!
//! As in step 03 each thread has one piece of work and there is no loop; the
//! piece is now four elements, from `first` to `first + 3`.
//!
//! **Alignment.** A 16-byte load needs an address that is a multiple of 16.
//! cudaMalloc's are multiples of 256, and `first` is a multiple of 4, so every
//! float4 here sits right. `A + 1` would not: that load traps.
//!
//! **The tail.** N need not be a multiple of 4. The thread that meets the end
//! takes its last one to three elements one by one. It is the *rounded up* grid
//! that gives this thread a place: launch N / 4 threads and it is missing
//! whenever N / 4 fills the last block, and for N < 4 there is no grid at all.
//!
//! **Cost.** The bytes are the same as ever, as they must be. What shrinks is
//! the number of requests that carry them.
//!
//! **Predict.** Memory-bound kernels do not care for instructions, one hears.
//! Will a quarter of them make any difference?
//!
//! **Try.** Call the kernel with `A + 1`, `B + 1`, `C + 1` and N - 1.
#include "common/check.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024
constexpr int block_elements = 4 * block_size;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    const float4 a = *reinterpret_cast<const float4*>(A + first);
    const float4 b = *reinterpret_cast<const float4*>(B + first);
    const float4 c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    *reinterpret_cast<float4*>(C + first) = c;
  } else {
    for (int i = first; i < N; ++i) {  // at most three, of one thread
      C[i] = A[i] + B[i];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;  // rounded up
  vector_add<<<blocks, block_size>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
