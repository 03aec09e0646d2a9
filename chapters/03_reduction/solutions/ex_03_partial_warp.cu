//! # Exercise 3: a warp that is not complete {#reduction_ex_03}
//! @builds-on step_04_warp_shuffle
//! @stub-fails trap
//! @goal shuffles <= 640 at N=4096
//! @goal global.red.requests == 128 at N=4096
//! @goal barriers == 0 at N=4096
//! @solution
//!
//! The lanes that left are not in the mask, so nobody waits for them. And
//! nobody uses what he would get from them: a lane adds only what comes from a
//! lane that is there. The others keep what they have; nobody reads it from
//! them.
//!
//! The mask is the same in all lanes that are left, and names exactly these.
//! Bits 0 to present - 1: `1u << present` minus one, but a shift by 32 is not
//! defined, so the full warp is a case of its own. (`__ballot_sync` before the
//! threads leave, or `__activemask()`, look simpler. The first is right; the
//! second says who *happens* to be here, which need not be all who will come.)
#include "common/check.hpp"
#include "common/device/workspace.hpp"

constexpr int block_size = 256;

ladder::Workspace workspace;  // one double: the sum so far

// The sum of x over the first `present` lanes of a warp, in lane 0. The other
// lanes are gone.
__device__ float partial_warp_sum(float x, int present) {
  const int lane = threadIdx.x % 32;
  // [hole sum: ~6 lines] Shuffle among those that are there.
  // [stub] for (int distance = 16; distance > 0; distance /= 2) {
  // [stub]   x += __shfl_down_sync(0xffffffff, x, distance);
  // [stub] }
  const unsigned mask = present == 32 ? 0xffffffff : (1u << present) - 1;
  for (int distance = 16; distance > 0; distance /= 2) {
    const int source = lane + distance < present ? lane + distance : lane;
    const float other = __shfl_sync(mask, x, source);
    if (source != lane) x += other;
  }
  // [/hole]
  return x;
}

__global__ void add_up(const float* input, double* sum, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const int first = i / 32 * 32;  // lane 0's element
  const float x = partial_warp_sum(input[i], min(32, N - first));
  if (i == first) {
    atomicAdd(sum, x);
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
