//! # Step 01: everybody adds to one number {#reduction_step_01}
//! @new   atomicAdd, race, cudaMemsetAsync, Workspace
//! @nondeterministic the additions happen in whichever order threads arrive
//! @claim launches == 2 at N=4096
//! @claim global.load.sectors == ideal at N=4096
//! @claim global.red.requests == 128 at N=4096
//! @claim global.red.sectors == 4096 at N=4096
//!
//! **Idea.** One thread for each element, as in the last chapters, and each
//! adds its element to one and the same number. Written as `*sum += input[i]`
//! this is a *race*: to add is to read, to add and to write back, and of two
//! threads that read the same old value one overwrites what the other has
//! written. `atomicAdd` makes the three one step that nobody can come between.
//!
//! **Who sets it to zero?** The sum has to start from 0 in *every* call, and no
//! thread of the kernel can see to it: by the time it runs, others may have
//! added already. So a `cudaMemsetAsync` goes into the queue ahead of the
//! kernel. The number itself lives in a `Workspace`
//! (common/device/workspace.hpp): a buffer that the first call allocates and
//! later calls find again, with whatever they left in it.
//!
//! **Why a double?** Adding straight into `output`, a float, is what everybody
//! writes first. A float has 24 bits. While the sum is small that is plenty;
//! when it has reached 2^24, adding 1 to it does nothing at all, and a
//! hundred million ones add up to 16 777 216. Less extreme data go wrong more
//! quietly: once the sum has passed 2^29 its neighbours lie 64 apart, and every
//! 10 000 that comes in counts as 9 984. One accumulator for everything needs
//! more bits than what goes into it. A double has 53, and we round once, at the
//! end.
//!
//! **In which order?** In whichever order the threads arrive, and that differs
//! from run to run. Addition of floats is not associative, so the last bits may
//! differ as well. The double hides it, mostly; it does not cure it. Step 06
//! does.
//!
//! **Cost.** Each element is read once, 4 bytes, and that is all that any sum
//! must do. But all N additions go to one address, and there they queue up: the
//! lanes of a warp, too, are served one after another.
//!
//! **Predict.** Memory could deliver a hundred million floats in a tenth of a
//! millisecond. How long will as many additions to one number take?
//!
//! **Try.** Let `sum` be a float (and memset its 4 bytes). What does the judge
//! say of N=1000000 with distribution=large_offset, and what does it note about
//! forty calls with the same input?
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024

ladder::Workspace workspace;  // one double: the sum so far

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    atomicAdd(sum, input[i]);
  }
}

__global__ void store(const double* sum, float* output) {
  *output = static_cast<float>(*sum);
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  double* sum = workspace.get<double>(1);
  CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(double)));  // in every call
  const int blocks = (N + block_size - 1) / block_size;
  add_up<<<blocks, block_size>>>(input, sum, N);
  CUDA_CHECK(cudaGetLastError());
  store<<<1, 1>>>(sum, output);
  CUDA_CHECK(cudaGetLastError());
}
