// Prices of options by random paths (curand on the device), compared with the closed formula; sums by
// shuffles, double precision, constants in constant memory, results through mapped memory.
#include <curand_kernel.h>

#include <cmath>

#include "../arrays.hpp"

namespace {

struct Option {
  float spot, strike, rate, volatility, years;
};

constexpr int most_options = 4, block = 128, blocks = 16, paths_per_thread = 24;
__constant__ Option options[most_options];

__global__ void seed(curandState* states, unsigned long long number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(number, i, 0, &states[i]);
}

__device__ double warp_sum(double value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  return value;
}

struct Sums {
  double payoff, squares;
};

__global__ void simulate(curandState* states, Sums* results) {
  const Option& option = options[blockIdx.y];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state = states[blockIdx.y * gridDim.x * blockDim.x + i];
  const float drift = (option.rate - 0.5f * option.volatility * option.volatility) * option.years;
  const float spread = option.volatility * sqrtf(option.years);
  double payoff = 0, squares = 0;
  for (int path = 0; path < paths_per_thread; ++path) {
    const float normal = curand_normal(&state);
    // A path and its mirror image.
    const float up = option.spot * expf(drift + spread * normal);
    const float down = option.spot * expf(drift - spread * normal);
    const double value =
        0.5 * (fmaxf(up - option.strike, 0.0f) + fmaxf(down - option.strike, 0.0f));
    payoff += value;
    squares += value * value;
  }
  __shared__ Sums partial[block / 32];
  payoff = warp_sum(payoff);
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = {payoff, squares};
  __syncthreads();
  if (threadIdx.x == 0) {
    Sums sum = {0, 0};
    for (const Sums& part : partial) {
      sum.payoff += part.payoff;
      sum.squares += part.squares;
    }
    atomicAdd(&results[blockIdx.y].payoff, sum.payoff);
    atomicAdd(&results[blockIdx.y].squares, sum.squares);
  }
}

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double closed_formula(const Option& o) {
  const double root = o.volatility * std::sqrt(o.years);
  const double d1 = (std::log(static_cast<double>(o.spot) / o.strike) +
                     (o.rate + 0.5 * o.volatility * o.volatility) * o.years) /
                    root;
  return o.spot * normal_below(d1) -
         o.strike * std::exp(-o.rate * o.years) * normal_below(d1 - root);
}

}  // namespace

int main() {
  const Option host_options[most_options] = {{100, 100, 0.05f, 0.2f, 1},
                                             {100, 120, 0.03f, 0.35f, 0.5f},
                                             {50, 40, 0.01f, 0.15f, 2},
                                             {80, 85, 0.0f, 0.4f, 0.25f}};
  CALL(cudaMemcpyToSymbol(options, host_options, sizeof host_options));
  DeviceArray<curandState> states(most_options * blocks * block);
  seed<<<most_options * blocks, block>>>(states, 2024);
  Sums *results, *device_results;
  CALL(cudaHostAlloc(&results, most_options * sizeof(Sums), cudaHostAllocMapped));
  for (int i = 0; i < most_options; ++i) results[i] = {0, 0};
  CALL(cudaHostGetDevicePointer(&device_results, results, 0));
  simulate<<<dim3(blocks, most_options), block>>>(states, device_results);
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
  const double n = static_cast<double>(blocks) * block * paths_per_thread;
  for (int i = 0; i < most_options; ++i) {
    const Option& o = host_options[i];
    const double discount = std::exp(-o.rate * o.years);
    const double mean = results[i].payoff / n;
    const double deviation = std::sqrt((results[i].squares / n - mean * mean) / n);
    EXPECT(deviation > 0 && deviation < 0.1);
    EXPECT(std::fabs(discount * mean - closed_formula(o)) < 4.5 * discount * deviation);
  }
  CALL(cudaFreeHost(results));
  std::printf("option prices: %d within their errors\n", most_options);
}
