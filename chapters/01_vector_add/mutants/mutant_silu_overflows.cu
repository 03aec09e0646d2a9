//! # Mutant: silu by way of exp(x)
//! @builds-on ex_03_float4_tail
//! @problem silu
//! @fails wrong passes N=257,distribution=random
//!
//! x e^x / (1 + e^x) is the same function on paper. For x above 88 the
//! exponential overflows, and infinity over infinity is not a number.
#include "common/device/elementwise.cuh"

struct Silu {
  __device__ float operator()(float x) const {
    return x * expf(x) / (1.0f + expf(x));
  }
};

extern "C" void solve(const float* input, float* output, int N) {
  ladder::elementwise(Silu{}, N, output, input);
}
