//! # Exercise 4: any operation you like {#vector_add_ex_04}
//! @builds-on step_06_streaming
//! @problem gelu
//! @new   templates, function objects
//! @goal global.load.requests == 32 at N=4096
//! @goal global.store.sectors == ideal at N=4096
#include "common/device/elementwise.cuh"

// gelu(x) = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
struct Gelu {
  __device__ float operator()(float x) const {
    // [hole gelu: ~2 lines] The formula, in single precision throughout.
    return x;
    // [/hole]
  }
};

extern "C" void solve(const float* input, float* output, int N) {
  ladder::elementwise(Gelu{}, N, output, input);
}
