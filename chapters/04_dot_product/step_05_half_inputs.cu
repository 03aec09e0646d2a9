//! # Step 05: halves in, floats between {#dot_product_step_05}
//! @builds-on step_04_float4_single_pass
//! @problem dot_f16
//! @new   half, half2, eight elements a load, exact products
//! @claim differing_repeats == 0
//! @claim flops.f16 == 0 at N=2^22
//! @claim launches == 1 at N=2^22
//! @claim global.load.requests == 32776 at N=2^22
//! @claim global.load.sectors == ideal at N=2^22
//!
//! **Idea.** A `half` is a float of 16 bits: one for the sign, five for the
//! exponent, eleven for the number (ten stored). It is half of the bytes, for
//! whoever can live with eleven bits and with 65 504 as the largest number.
//! Networks can.
//!
//! **Loads.** 16 bytes are now eight elements. There is no type "eight halves";
//! a uint4 is 16 bytes that come in one load, and what is in them is looked at
//! as four `half2`.
//!
//! **Never sum in halves.** Eleven bits are few. A sum that has come to 2048 times
//! what is added to it stands still, and long before that it loses most of what
//! it is given. So both halves are made floats first (`__half22float2`), and the
//! products and sums are those of step 04. That costs conversions, which are
//! hidden behind the loads. GPUs can multiply and add halves, two at a time
//! (`__hfma2`); exercise 2 is about what comes out.
//!
//! **Exact products.** Eleven bits times eleven are twenty-two, and a float has
//! twenty-four: no product is rounded. The only roundings are those of the sums of
//! eight, in floats, and the one of the result to a half, which is by far the
//! largest of them. That one nobody can avoid who returns a half.
//!
//! **Cost.** 4 bytes for each pair. The tail has up to seven.
//!
//! **Predict.** In step 04 there was one conversion for 32 bytes, of a sum to a
//! double. Here there are sixteen more, of all the halves. Is memory still what
//! decides?
//!
//! **Try.** What is the largest N for which a dot product of ones can be returned?
#include <cuda_fp16.h>

#include <cstdint>

#include "common/check.hpp"
#include "common/device/grid.hpp"
#include "common/device/reduction.cuh"
#include "common/device/workspace.hpp"

constexpr int block_size = 512;  // threads: a multiple of 32, at most 1024
constexpr int loads = 4;         // uint4 of A and of B, asked for together
constexpr int tile = loads * block_size;  // uint4 of a block, in one turn
constexpr int blocks_per_multiprocessor = 2;

ladder::Workspace workspace;  // a double for each block: its sum

// Of eight pairs of halves. A uint4 is 16 bytes that come in one load.
__device__ float products(uint4 a, uint4 b) {
  const half2* x = reinterpret_cast<const half2*>(&a);
  const half2* y = reinterpret_cast<const half2*>(&b);
  float sum = 0.0f;
  for (int k = 0; k < 4; ++k) {
    const float2 p = __half22float2(x[k]), q = __half22float2(y[k]);
    sum += p.x * q.x + p.y * q.y;
  }
  return sum;
}

// The sum of the products that fall to this thread: `loads` uint4, eight
// halves each, of each array in every turn of the grid.
__device__ double thread_sum(const half* A, const half* B, int N) {
  const uint4* eights_a = reinterpret_cast<const uint4*>(A);
  const uint4* eights_b = reinterpret_cast<const uint4*>(B);
  const int64_t count = N / 8;
  const int64_t stride = gridDim.x * tile;
  int64_t i = blockIdx.x * tile + threadIdx.x;
  double sum = 0.0;
  for (; i + (loads - 1) * block_size < count; i += stride) {
    uint4 a[loads], b[loads];
    for (int j = 0; j < loads; ++j) {
      a[j] = eights_a[i + j * block_size];
      b[j] = eights_b[i + j * block_size];
    }
    for (int j = 0; j < loads; ++j) {
      sum += products(a[j], b[j]);
    }
  }
  for (; i < count; i += block_size) {  // what is left of the last tile
    sum += products(eights_a[i], eights_b[i]);
  }
  const int t = blockIdx.x * block_size + threadIdx.x;
  if (t < N % 8) {
    sum += __half2float(A[8 * count + t]) * __half2float(B[8 * count + t]);
  }
  return sum;
}

// partial[b]: the sum of what falls to block b. The last block sums these.
__global__ void __launch_bounds__(block_size, blocks_per_multiprocessor)
    add_up(const half* A, const half* B, double* partial, half* result, int N) {
  double x = ladder::block_sum(thread_sum(A, B, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x;
  }
  if (!ladder::is_last_block()) return;
  x = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += block_size) {
    x += partial[b];
  }
  x = ladder::block_sum(x);
  if (threadIdx.x == 0) {
    *result = __double2half(x);
  }
}

extern "C" void solve(const half* A, const half* B, half* result, int N) {
  if (N == 0) return;
  const int blocks = ladder::blocks_for(N, 8 * tile, blocks_per_multiprocessor);
  double* partial = workspace.get<double>(blocks);
  add_up<<<blocks, block_size>>>(A, B, partial, result, N);
  CUDA_CHECK(cudaGetLastError());
}
