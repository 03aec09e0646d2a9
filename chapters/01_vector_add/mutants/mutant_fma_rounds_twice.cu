//! # Mutant: a product, rounded, and a sum, rounded again
//! @builds-on ex_02_grid_stride_fma
//! @problem fma
//! @fails wrong at N=257,distribution=random passes N=257,distribution=exact
//!
//! The contract is one rounding. Two rounding errors put a fifth of the random
//! results off by a last bit; products of small integers hide it.
#include "common/device/elementwise.cuh"

struct ScaleAndAdd {
  __device__ float operator()(float a, float b, float c) const {
    return __fadd_rn(__fmul_rn(a, b), c);
  }
};

extern "C" void solve(const float* A, const float* B, const float* C,
                      float* output, int N) {
  ladder::elementwise(ScaleAndAdd{}, N, output, A, B, C);
}
