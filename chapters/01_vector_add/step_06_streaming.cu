//! # Step 06: stream the result past the cache {#vector_add_step_06}
//! @builds-on step_05_float4
//! @new   __stcs, bytes in flight, Little's law
//! @claim instructions.warp == 1 x step_05 at N=4096
//! @claim global.load.requests == 1 x step_05 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.store.sectors == ideal at N=4096
//!
//! **Idea.** Nobody reads C again in this kernel, so its lines need not stay in
//! the cache. `__stcs` ("store, cache streaming") says so: the L2 may evict
//! these lines first. One word changes; the instructions and the traffic do not.
//!
//! This is the top of the ladder, and it is a short step. The rest of the page
//! is about what we tried that did *not* help, and why, since that is most of
//! what tuning is.
//!
//! **More loads per thread.** Often the first advice: give each thread two or
//! four float4, so that more loads are under way. *Little's law* says when that
//! helps. A memory that answers after t seconds and delivers b bytes a second is
//! busy only while t * b bytes are asked for and not yet there. For 4.5 TB/s and
//! 700 ns that is about 3 MB, or 24 KB on each of 132 multiprocessors. And this
//! kernel? 2048 threads with two 16-byte loads each: 64 KB. There is plenty in
//! flight already. On the card our results come from, two float4 a thread gained
//! nothing, four were slower, and so was a grid-stride loop over float4.
//!
//! **Hints on the loads.** `__ldcs` on A and B as well was slower, and so was
//! skipping the L1 (`ld.global.nc.L1::no_allocate`). A hint is a claim about the
//! future; measure it like any other.
//!
//! **The block size.** From 128 to 1024 threads made no difference to this
//! kernel, while the scalar one of step 03 lost with 1024. We keep 256.
//!
//! **How near to a copy?** At 2^28 elements this step gets more bytes a second
//! than a copy does. At 25 million it stays half a percent below one, in every
//! run: filling and draining the machine is then a larger part of the time, and
//! none of the variants above made it shorter. The table has both.
//!
//! **Predict.** A copy moves 8 bytes an element and this moves 12. Which gets
//! more bytes a second?
//!
//! **Try.** `__stcg`, `__stwt`, or a `__ldcs` on one operand only.
#include "common/check.hpp"

constexpr int block_size = 256;  // threads: a multiple of 32, at most 1024
constexpr int block_elements = 4 * block_size;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 3 < N) {
    const float4 a = *reinterpret_cast<const float4*>(A + first);
    const float4 b = *reinterpret_cast<const float4*>(B + first);
    const float4 c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    __stcs(reinterpret_cast<float4*>(C + first), c);
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
