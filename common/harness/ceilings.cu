// What a GPU can do at best, for `ladder bench` to compare solvers with: copy, read, arithmetic and
// an empty launch; and inputs made where they are needed. Plain C entry points in a shared object
// built like a solver; each only launches, on the default stream, and leaves errors in
// cudaGetLastError(). Pointers come from cudaMalloc.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

#include "common/harness/counter_random.hpp"

namespace {

constexpr int block_size = 256;

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

int multiprocessors() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

__device__ std::int64_t global_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__global__ void copy(const float4* from, float4* to, std::int64_t count) {
  const std::int64_t i = global_thread();
  if (i < count) to[i] = from[i];
}

// Four loads in flight per thread. The sum is stored only if it is a value that it never has,
// which the compiler cannot know, so no load is left out and nothing is written.
constexpr int read_loads = 4;
__global__ void read(const uint4* from, std::int64_t count, unsigned* sink) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  std::int64_t i = global_thread();
  for (; i + (read_loads - 1) * stride < count; i += read_loads * stride) {
    uint4 v[read_loads];
#pragma unroll
    for (int k = 0; k < read_loads; ++k) v[k] = from[i + k * stride];
#pragma unroll
    for (int k = 0; k < read_loads; ++k) sum |= v[k].x | v[k].y | v[k].z | v[k].w;
  }
  for (; i < count; i += stride) {
    const uint4 v = from[i];
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum == 0xFFFFFFFFu && gridDim.y == 2) *sink = sum;
}

// Independent chains of fused multiply-adds: enough of them to cover the latency of each.
constexpr int chains = 8;
constexpr int rounds = 4096;
constexpr int unrolled = 16;
__global__ void multiply_add(float* sink) {
  float value[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) value[c] = threadIdx.x * 0.001f + c;
  for (int r = 0; r < rounds; r += unrolled) {
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
#pragma unroll
      for (int c = 0; c < chains; ++c) value[c] = fmaf(value[c], 0.999f, 0.5f);
    }
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += value[c];
  if (sum < 0) *sink = sum;  // never: all values stay positive
}

__global__ void empty() {}

__global__ void overwrite(uint4* scratch, std::int64_t count, unsigned value) {
  const std::int64_t i = global_thread();
  if (i < count) scratch[i] = {value, value, value, value};
}

template <class Element>
__device__ Element rounded(float value);
template <>
__device__ float rounded(float value) {
  return value;
}
template <>
__device__ __half rounded(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __nv_bfloat16 rounded(float value) {
  return __float2bfloat16_rn(value);
}

template <class Element>
__global__ void fill_random(Element* data, std::int64_t count, std::uint64_t key) {
  const std::int64_t i = global_thread();
  if (i < count) {
    data[i] =
        rounded<Element>(ladder::counter_random::uniform(ladder::counter_random::bits(key, i)));
  }
}

template <class Element>
void launch_fill(void* data, std::int64_t count, std::uint64_t key) {
  fill_random<<<blocks_for(count), block_size>>>(static_cast<Element*>(data), count, key);
}

}  // namespace

#define LADDER_EXPORT extern "C" __attribute__((visibility("default")))

// Copies `bytes`, a multiple of 16, one float4 a thread.
LADDER_EXPORT void ladder_copy(const void* from, void* to, std::size_t bytes) {
  const auto count = static_cast<std::int64_t>(bytes / sizeof(float4));
  if (count == 0) return;
  copy<<<blocks_for(count), block_size>>>(static_cast<const float4*>(from),
                                          static_cast<float4*>(to), count);
}

// Reads `bytes`, a multiple of 16; writes nothing. `sink` is 4 bytes of device memory.
LADDER_EXPORT void ladder_read(const void* from, void* sink, std::size_t bytes) {
  const auto count = static_cast<std::int64_t>(bytes / sizeof(uint4));
  if (count == 0) return;
  const int blocks = multiprocessors() * (2048 / block_size);
  read<<<blocks, block_size>>>(static_cast<const uint4*>(from), count,
                               static_cast<unsigned*>(sink));
}

// Fused multiply-adds and nothing else. Returns the floating-point operations of the launch, two
// for each multiply-add. `sink` is 4 bytes of device memory.
LADDER_EXPORT double ladder_ffma(void* sink, int blocks_per_multiprocessor) {
  const int blocks = multiprocessors() * blocks_per_multiprocessor;
  multiply_add<<<blocks, block_size>>>(static_cast<float*>(sink));
  return 2.0 * chains * rounds * block_size * blocks;
}

LADDER_EXPORT void ladder_empty() {
  empty<<<1, 1>>>();
}

// Overwrites `bytes` of scratch, a multiple of 16; twice the L2's size leaves nothing else in it.
LADDER_EXPORT void ladder_flush(void* scratch, std::size_t bytes, unsigned value) {
  const auto count = static_cast<std::int64_t>(bytes / sizeof(uint4));
  if (count == 0) return;
  overwrite<<<blocks_for(count), block_size>>>(static_cast<uint4*>(scratch), count, value);
}

// The input that the checker makes for Distribution::random: stream `argument` (its index in the
// signature) of `seed`. `element_type`: 0 f32, 1 f16, 2 bf16 (ladder::ElementType). Returns false
// for what it does not make: other element types, other distributions.
LADDER_EXPORT bool ladder_fill(void* data, int element_type, std::int64_t elements,
                               std::uint64_t seed, int argument, int distribution) {
  constexpr int random = 1;  // ladder::Distribution::random
  if (distribution != random) return false;
  if (elements == 0) return true;
  const auto key = ladder::counter_random::key(seed, static_cast<std::uint32_t>(argument));
  switch (element_type) {
    case 0:
      launch_fill<float>(data, elements, key);
      return true;
    case 1:
      launch_fill<__half>(data, elements, key);
      return true;
    case 2:
      launch_fill<__nv_bfloat16>(data, elements, key);
      return true;
    default:
      return false;
  }
}
