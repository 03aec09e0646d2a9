//! # Mutant: the addend and a factor change places
//! @builds-on ex_02_grid_stride_fma
//! @problem fma
//! @fails wrong at N=257
//!
//! A * C + B: right where B equals C.
#include "common/device/elementwise.cuh"

struct ScaleAndAdd {
  __device__ float operator()(float a, float b, float c) const {
    return fmaf(a, c, b);
  }
};

extern "C" void solve(const float* A, const float* B, const float* C,
                      float* output, int N) {
  ladder::elementwise(ScaleAndAdd{}, N, output, A, B, C);
}
