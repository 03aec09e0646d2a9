//! # Step 01: the CPU loop, moved over {#vector_add_step_01}
//! @new   __global__, kernel launch, device pointers, CUDA_CHECK
//! @limits N <= 1e8
//! @claim launches == 1 at N=4096
//! @claim global.load.requests == 8192 at N=4096
//! @claim global.store.requests == 4096 at N=4096
//!
//! **Idea.** Take the loop you would write on a CPU and let one thread of the
//! GPU run it. It is right, and it uses almost nothing of the machine: a fine
//! place to start, because all that is new is how to talk to the GPU.
//!
//! A *kernel* is a function marked `__global__`: called from the CPU, run on the
//! GPU, returning nothing. `vector_add<<<1, 1>>>(...)` *launches* it on a grid
//! of one block of one thread. `A`, `B` and `C` are *device pointers*, addresses
//! in the GPU's own memory: the kernel may follow them, code on the CPU may not.
//!
//! A launch only puts the kernel on a queue and goes on; it has no return value
//! to look at. What was wrong with the launch itself is asked for afterwards,
//! with `cudaGetLastError()`. CUDA_CHECK stops and says so if the answer is
//! not cudaSuccess. Do this after every launch: a kernel that never ran leaves
//! no other trace than an output nobody wrote.
//!
//! **Cost.** Two loads and a store for each element, one after the other. A load
//! that has to go out to the GPU's memory takes hundreds of nanoseconds, one that
//! finds its data in a cache still takes tens, and this thread waits for each. A
//! hundred million elements keep it busy for seconds. We refuse more than that,
//! rather than let somebody wait.
//!
//! **Predict.** Is one GPU thread faster or slower than one CPU core?
//!
//! **Try.** Write `i <= N` in the loop. What does the emulator say, and where?
#include "common/check.hpp"

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  for (int i = 0; i < N; ++i) {
    C[i] = A[i] + B[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  if (N > 100000000) ladder::refuse("one thread would take far too long");
  vector_add<<<1, 1>>>(A, B, C, N);
  CUDA_CHECK(cudaGetLastError());
}
