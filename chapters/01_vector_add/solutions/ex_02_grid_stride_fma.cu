//! # Exercise 2: a grid-stride scale-and-add {#vector_add_ex_02}
//! @builds-on step_04_grid_stride
//! @problem fma
//! @goal global.load.requests == 6144 at N=65536
//! @goal global.load.sectors == ideal at N=65536
//! @goal global.store.sectors == ideal at N=65536
//! @solution
//!
//! A thread starts at its own place in the grid and moves on by the size of the
//! grid. In each turn the 32 lanes of a warp stand on 32 neighbours, so every
//! request fills its sectors. A stretch of N / 16384 elements for each thread
//! gives the right answer too, and misses both goals about sectors.
//!
//! `fmaf` rounds once, after the addition. nvcc would fuse `A[i] * B[i] + C[i]`
//! into the same instruction unless told `--fmad=false`; writing fmaf says that
//! the single rounding is meant.
#include <cstdint>

#include "common/check.hpp"

constexpr int block_size = 256;
constexpr int blocks = 64;  // 16384 threads, whatever N is

// output[i] = A[i] * B[i] + C[i], rounded once: fmaf(a, b, c)
__global__ void scale_and_add(const float* A, const float* B, const float* C,
                              float* output, int N) {
  // [hole loop: ~5 lines] Every thread takes elements one grid apart.
  const int64_t stride = gridDim.x * blockDim.x;
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < N; i += stride) {
    output[i] = fmaf(A[i], B[i], C[i]);
  }
  // [/hole]
}

extern "C" void solve(const float* A, const float* B, const float* C,
                      float* output, int N) {
  scale_and_add<<<blocks, block_size>>>(A, B, C, output, N);
  CUDA_CHECK(cudaGetLastError());
}
