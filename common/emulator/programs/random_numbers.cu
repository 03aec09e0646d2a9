// <curand_kernel.h>: device generators give the known sequences, and estimate pi.
#include <curand_kernel.h>

#include <cmath>

#include "arrays.hpp"

namespace {

constexpr int blocks = 8, threads = 128, points = 64;

template <class State>
__global__ void estimate_pi(unsigned long long seed, unsigned* hits) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(seed, id, 0, &state);
  unsigned inside = 0;
  for (int i = 0; i < points; ++i) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    inside += x * x + y * y <= 1.0f;
  }
  atomicAdd(hits, inside);
}

__global__ void moments(double* sums) {
  curandStatePhilox4_32_10_t state;
  curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  double sum = 0, squares = 0;
  for (int i = 0; i < points / 4; ++i) {
    const float4 four = curand_normal4(&state);
    sum += four.x + four.y + four.z + four.w;
    squares += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
  }
  const double2 pair = curand_normal2_double(&state);
  sum += pair.x + pair.y;
  squares += pair.x * pair.x + pair.y * pair.y;
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], squares);
  atomicAdd(&sums[2], static_cast<double>(curand_poisson(&state, 4.0)));
  atomicAdd(&sums[3], static_cast<double>(curand_log_normal(&state, 0.0f, 0.25f)));
}

// The first words of Philox and XORWOW by their definitions, for the state of the host's choosing.
__global__ void first_words(unsigned* words) {
  curandStatePhilox4_32_10_t philox;
  curand_init(0, 0, 0, &philox);
  for (int i = 0; i < 8; ++i) words[i] = curand(&philox);
  curandStateXORWOW_t xorwow;
  curand_init(1234, 0, 0, &xorwow);
  for (int i = 0; i < 5; ++i) words[8 + i] = xorwow.v[i];
  words[13] = xorwow.d;
  for (int i = 0; i < 8; ++i) words[14 + i] = curand(&xorwow);
}

// Skipping ahead leads to the same place as drawing.
__global__ void skipped(unsigned* same) {
  curandStateXORWOW_t drawn, jumped;
  curand_init(5, 3, 0, &drawn);
  curand_init(5, 3, 100, &jumped);
  for (int i = 0; i < 100; ++i) curand(&drawn);
  curandStateMRG32k3a_t drawn_mrg, jumped_mrg;
  curand_init(5, 3, 0, &drawn_mrg);
  curand_init(5, 3, 100, &jumped_mrg);
  for (int i = 0; i < 100; ++i) curand(&drawn_mrg);
  *same = (curand(&drawn) == curand(&jumped)) + (curand(&drawn_mrg) == curand(&jumped_mrg));
}

std::vector<unsigned> philox_words(std::uint32_t counter) {
  std::uint32_t c[4] = {counter, 0, 0, 0}, k[2] = {0, 0};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    const std::uint32_t next[4] = {
        static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return {c[0], c[1], c[2], c[3]};
}

template <class State>
void check_pi() {
  DeviceArray<unsigned> hits(std::vector<unsigned>{0});
  estimate_pi<State><<<blocks, threads>>>(42, hits);
  const double n = blocks * threads * points;
  const double pi = 4.0 * hits.read()[0] / n;
  EXPECT(std::fabs(pi - 3.14159265) < 4 * 4 * std::sqrt(0.785 * 0.215 / n));
}

}  // namespace

int main() {
  check_pi<curandStateXORWOW_t>();
  check_pi<curandStatePhilox4_32_10_t>();
  check_pi<curandStateMRG32k3a_t>();

  DeviceArray<double> sums(std::vector<double>(4));
  moments<<<blocks, threads>>>(sums);
  const std::vector<double> got = sums.read();
  const double each = blocks * threads, n = each * (points + 2);
  EXPECT(std::fabs(got[0] / n) < 4 / std::sqrt(n));
  EXPECT(std::fabs(got[1] / n - 1) < 4 * std::sqrt(2 / n));
  EXPECT(std::fabs(got[2] / each - 4) < 4 * 2 / std::sqrt(each));
  EXPECT(std::fabs(got[3] / each - std::exp(0.03125)) < 4 * 0.27 / std::sqrt(each));

  DeviceArray<unsigned> words(22), same(1);
  first_words<<<1, 1>>>(words);
  const std::vector<unsigned> drawn = words.read();
  const std::vector<unsigned> philox = philox_words(0), philox_next = philox_words(1);
  for (int i = 0; i < 4; ++i) {
    EXPECT(drawn[i] == philox[i]);
    EXPECT(drawn[4 + i] == philox_next[i]);
  }
  std::uint32_t v[5], d = drawn[13];
  for (int i = 0; i < 5; ++i) v[i] = drawn[8 + i];
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t t = v[0] ^ v[0] >> 2;
    for (int j = 0; j < 4; ++j) v[j] = v[j + 1];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    d += 362437;
    EXPECT(drawn[14 + i] == v[4] + d);
  }
  skipped<<<1, 1>>>(same);
  EXPECT(same.read()[0] == 2);
  std::printf("random numbers: all as expected\n");
}
