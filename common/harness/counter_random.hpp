// The numbers in a case's inputs: each is a pure function of (seed, stream, element), so the CPU
// and a kernel that includes this header make the same bits in any order. The stream is the
// argument's index in the signature. C++17, no library: nvcc compiles it too.
//
//   key     = mix(seed + (stream + 1) * gamma)
//   bits    = mix(key + (element + 1) * gamma)            64 bits
//   uniform = (bits >> 40) * 2^-23 - 1                    in [-1, 1), exact in f32
//
// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014), gamma its increment. f16 and bf16 are the f32 value rounded to nearest.
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define LADDER_RANDOM_FUNCTION __host__ __device__ inline
#else
#define LADDER_RANDOM_FUNCTION inline
#endif

namespace ladder::counter_random {

constexpr uint64_t gamma = 0x9E3779B97F4A7C15u;
constexpr float two_to_minus_23 = 1.0f / 8388608.0f;

LADDER_RANDOM_FUNCTION uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

LADDER_RANDOM_FUNCTION uint64_t key(uint64_t seed, uint32_t stream) {
  return mix(seed + (stream + uint64_t{1}) * gamma);
}

LADDER_RANDOM_FUNCTION uint64_t bits(uint64_t key, int64_t element) {
  return mix(key + (static_cast<uint64_t>(element) + 1) * gamma);
}

// In [-1, 1), a multiple of 2^-23. The product and the difference are exact, fused or not.
LADDER_RANDOM_FUNCTION float uniform(uint64_t bits) {
  return static_cast<float>(static_cast<uint32_t>(bits >> 40)) * two_to_minus_23 - 1.0f;
}

}  // namespace ladder::counter_random
