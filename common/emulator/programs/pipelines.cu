// Copies that run while threads compute: cuda::barrier and cuda::pipeline, of a block and of a
// thread, with several stages; barriers in global memory; semaphores and latches.
// Their constructors are not run for __shared__ variables: init() does their work.
#pragma nv_diag_suppress static_var_with_dynamic_init

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "arrays.hpp"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128, tiles = 8;

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// out[i] = in[i] reversed within each tile of one element a thread, summed with the tile before.
__global__ void with_barrier(const int* in, int* out) {
  __shared__ int tile[2][threads];
  __shared__ BlockBarrier ready[2];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 2) init(&ready[t], threads);
  __syncthreads();
  int before = 0;
  for (int i = 0; i < tiles; ++i) {
    BlockBarrier& bar = ready[i % 2];
    cuda::memcpy_async(&tile[i % 2][t], &in[i * threads + t], sizeof(int), bar);
    bar.arrive_and_wait();
    const int value = tile[i % 2][threads - 1 - t];
    out[i * threads + t] = value + before;
    before = value;
    __syncthreads();
  }
}

// The block copies together: one call for a whole tile.
__global__ void with_block_copy(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ BlockBarrier ready;
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&ready, threads);
  block.sync();
  for (int i = 0; i < tiles; ++i) {
    cuda::memcpy_async(block, tile, in + i * threads, cuda::aligned_size_t<16>(sizeof tile), ready);
    ready.arrive_and_wait();
    out[i * threads + threadIdx.x] = tile[threads - 1 - threadIdx.x];
    block.sync();
  }
}

template <int Stages>
__global__ void with_block_pipeline(const int* in, int* out) {
  __shared__ int tile[Stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int next = 0;
  for (int i = 0; i < tiles; ++i) {
    for (; next < tiles && next < i + Stages; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tile[next % Stages], in + next * threads, sizeof(int) * threads,
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[i * threads + threadIdx.x] = tile[i % Stages][threads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
}

// Half of the warps copy, the others compute.
__global__ void with_roles(const int* in, int* out) {
  constexpr int stages = 2, half = threads / 2;
  __shared__ int tile[stages][half];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < half;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int t = static_cast<int>(threadIdx.x) % half;
  for (int i = 0; i < tiles; ++i) {
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tile[i % stages][t], in + i * half + t, sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      out[i * half + t] = tile[i % stages][half - 1 - t];
      pipeline.consumer_release();
    }
  }
}

// Each thread for itself: cp.async groups.
__global__ void with_thread_pipeline(const int4* in, int4* out) {
  constexpr int stages = 3;
  __shared__ int4 tile[stages][threads];
  auto pipeline = cuda::make_pipeline();
  int next = 0;
  for (int i = 0; i < tiles; ++i) {
    for (; next < tiles && next < i + stages; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tile[next % stages][threadIdx.x], &in[next * threads + threadIdx.x],
                         cuda::aligned_size_t<16>(16), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    int4 value = tile[i % stages][threadIdx.x];
    value.x += i;
    out[i * threads + threadIdx.x] = value;
    pipeline.consumer_release();
  }
}

// Threads leave a barrier one after the other.
__global__ void with_drops(int* left) {
  __shared__ BlockBarrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned phase = 0; phase < blockDim.x; ++phase) {
    if (phase == threadIdx.x) {
      left[threadIdx.x] = static_cast<int>(phase);
      bar.arrive_and_drop();
      return;
    }
    bar.arrive_and_wait();
  }
}

// Blocks meet at a barrier and a latch in global memory; a semaphore lets one in at a time.
struct Meeting {
  cuda::barrier<cuda::thread_scope_device> bar;
  cuda::latch<cuda::thread_scope_device> latch;
  cuda::binary_semaphore<cuda::thread_scope_device> key;
  int sum;
};

__global__ void prepare(Meeting* meeting, int blocks) {
  new (&meeting->bar) cuda::barrier<cuda::thread_scope_device>(blocks);
  new (&meeting->latch) cuda::latch<cuda::thread_scope_device>(blocks);
  new (&meeting->key) cuda::binary_semaphore<cuda::thread_scope_device>(1);
  meeting->sum = 0;
}

__global__ void meet(Meeting* meeting, int* seen) {
  if (threadIdx.x != 0) return;
  const int own = static_cast<int>(blockIdx.x) + 1;
  meeting->key.acquire();
  meeting->sum = *static_cast<volatile int*>(&meeting->sum) + own;
  meeting->key.release();
  meeting->latch.arrive_and_wait();
  seen[blockIdx.x] = *static_cast<volatile int*>(&meeting->sum);
  meeting->bar.arrive_and_wait();
  if (blockIdx.x == 0) meeting->sum = 1000;
  meeting->bar.arrive_and_wait();
  seen[blockIdx.x] += *static_cast<volatile int*>(&meeting->sum);
}

}  // namespace

int main() {
  constexpr int n = threads * tiles;
  const std::vector<int> in = random_words(n);
  const auto reversed = [&](int width) {
    std::vector<int> expected(in.size());
    for (int i = 0; i < n; ++i) expected[i] = in[i / width * width + width - 1 - i % width];
    return expected;
  };
  DeviceArray<int> source(in), out(n);

  with_barrier<<<1, threads>>>(source, out);
  std::vector<int> expected = reversed(threads);
  for (int i = n - 1; i >= threads; --i) expected[i] += expected[i - threads];
  EXPECT(out.read() == expected);

  with_block_copy<<<1, threads>>>(source, out);
  EXPECT(out.read() == reversed(threads));
  with_block_pipeline<1><<<1, threads>>>(source, out);
  EXPECT(out.read() == reversed(threads));
  with_block_pipeline<4><<<1, threads>>>(source, out);
  EXPECT(out.read() == reversed(threads));

  DeviceArray<int> half(n / 2);
  with_roles<<<1, threads>>>(source, half);
  expected = reversed(threads / 2);
  expected.resize(n / 2);
  EXPECT(half.read() == expected);

  const std::vector<int> wide = random_words(4 * n);
  DeviceArray<int> wide_source(wide), wide_out(4 * n);
  with_thread_pipeline<<<1, threads>>>(reinterpret_cast<const int4*>(wide_source.data()),
                                       reinterpret_cast<int4*>(wide_out.data()));
  expected = wide;
  for (int i = 0; i < n; ++i) expected[4 * i] += i / threads;
  EXPECT(wide_out.read() == expected);

  DeviceArray<int> left(70);
  with_drops<<<1, 70>>>(left);
  expected.resize(70);
  for (int i = 0; i < 70; ++i) expected[i] = i;
  EXPECT(left.read() == expected);

  constexpr int blocks = 9;
  Meeting* meeting;
  CALL(cudaMalloc(&meeting, sizeof(Meeting)));
  DeviceArray<int> seen(blocks);
  prepare<<<1, 1>>>(meeting, blocks);
  meet<<<blocks, 32>>>(meeting, seen);
  EXPECT(seen.read() == std::vector<int>(blocks, 1000 + blocks * (blocks + 1) / 2));
  CALL(cudaFree(meeting));
  CALL(cudaDeviceSynchronize());
  std::printf("pipelines: all as expected\n");
}
