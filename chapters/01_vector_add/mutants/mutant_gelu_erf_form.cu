//! # Mutant: gelu in its erf form
//! @builds-on ex_04_gelu
//! @problem gelu
//! @fails wrong at N=257
//!
//! The function that the tanh form approximates. The two differ by up to 5e-4,
//! a hundred times what rounding explains.
#include "common/device/elementwise.cuh"

struct Gelu {
  __device__ float operator()(float x) const {
    return 0.5f * x * (1.0f + erff(0.7071067812f * x));
  }
};

extern "C" void solve(const float* input, float* output, int N) {
  ladder::elementwise(Gelu{}, N, output, input);
}
