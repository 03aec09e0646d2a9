//! # Exercise 3: float4 with a tail {#vector_add_ex_03}
//! @builds-on step_05_float4
//! @problem silu
//! @stub-fails goal
//! @goal global.load.requests == 32 at N=4096
//! @goal global.load.sectors == ideal at N=4096
//! @goal global.store.requests == 32 at N=4096
//! @solution
//!
//! Where four elements are left the thread loads them as one float4, computes
//! four results and stores them as one float4. The one thread that finds fewer
//! than four goes element by element.
//!
//! The loop of the stub made four loads, and in each the lanes of a warp stood
//! four elements apart: 32 lanes, 16 sectors, and only 8 of each sector's 32
//! bytes used. The next three loads came back to the same sectors.
#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int block_elements = 4 * block_size;

__device__ float silu(float x) {
  return x / (1.0f + expf(-x));
}

// output[i] = silu(input[i]); a thread has elements first .. first + 3
__global__ void silu_kernel(const float* input, float* output, int N) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  // [hole body: ~9 lines] One float4 load and store, or what is left of them.
  // [stub] for (int i = first; i < first + 4 && i < N; ++i) {
  // [stub]   output[i] = silu(input[i]);
  // [stub] }
  if (first + 3 < N) {
    const float4 x = *reinterpret_cast<const float4*>(input + first);
    const float4 y = {silu(x.x), silu(x.y), silu(x.z), silu(x.w)};
    *reinterpret_cast<float4*>(output + first) = y;
  } else {
    for (int i = first; i < N; ++i) {
      output[i] = silu(input[i]);
    }
  }
  // [/hole]
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N == 0) return;
  const int blocks = (N + block_elements - 1) / block_elements;  // rounded up
  silu_kernel<<<blocks, block_size>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
