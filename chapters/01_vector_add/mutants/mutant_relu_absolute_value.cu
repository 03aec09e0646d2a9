//! # Mutant: relu folds instead of cutting off
//! @builds-on ex_01_guard_the_tail
//! @problem relu
//! @fails wrong at N=257
//!
//! The magnitude in place of max(x, 0): right for each input that is not
//! negative.
#include "common/device/elementwise.cuh"

struct Relu {
  __device__ float operator()(float x) const { return fabsf(x); }
};

extern "C" void solve(const float* input, float* output, int N) {
  ladder::elementwise(Relu{}, N, output, input);
}
