// Cooperative groups: tiles, coalesced and labelled groups, reductions, scans, and whole grids.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <numeric>

#include "arrays.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128;

template <unsigned Size>
__global__ void tile_sums(const int* in, int* out) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int value = in[threadIdx.x];
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  const int most = cg::reduce(tile, value, cg::greater<int>());
  const int before = cg::exclusive_scan(tile, value, cg::plus<int>());
  const int first = tile.shfl(value, 0);
  const int next = tile.shfl_down(value, 1);
  const bool any = tile.any(value == most);
  out[threadIdx.x] = sum + 3 * most + 5 * before + 7 * first + (any ? 11 : 0) +
                     (tile.thread_rank() + 1 < Size ? 13 * next : 0) +
                     static_cast<int>(tile.meta_group_rank());
}

// Tiles of a size that is known at run time, and of more than a warp.
__global__ void dynamic_tiles(const int* in, int* out, unsigned size) {
  const auto tile = cg::tiled_partition(cg::this_thread_block(), size);
  int sum = 0;
  __shared__ int values[threads];
  values[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  for (unsigned i = 0; i < tile.size(); ++i) {
    sum += values[threadIdx.x / size * size + i];
  }
  out[threadIdx.x] = sum;
}

// In a divergent branch: those that are together count themselves with one atomic.
__global__ void coalesced(const int* in, int* counter, int* place) {
  const int value = in[threadIdx.x];
  place[threadIdx.x] = -1;
  if (value % 3 == 0) {
    const auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
    place[threadIdx.x] = active.shfl(base, 0) + static_cast<int>(active.thread_rank());
  }
}

// Threads of one label form a group.
__global__ void labelled(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int label = in[threadIdx.x] % 4;
  const auto same = cg::labeled_partition(warp, label);
  const int sum = cg::reduce(same, in[threadIdx.x], cg::plus<int>());
  const auto even = cg::binary_partition(warp, label % 2 == 0);
  out[threadIdx.x] = sum + 1000000 * static_cast<int>(even.size());
}

__global__ void elected(int* out) {
  const auto block = cg::this_thread_block();
  __shared__ int value;
  cg::invoke_one(block, [] { value = 41; });
  block.sync();
  const auto tile = cg::tiled_partition<8>(block);
  out[block.thread_rank()] =
      value + cg::invoke_one_broadcast(tile, [] { return 1; }) + block.group_dim().x;
}

// The group copies a tile together, and waits for it.
__global__ void copied(const int* in, int* out) {
  __shared__ int tile[2][threads];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
  cg::memcpy_async(block, tile[1], in + threads, sizeof tile[1]);
  cg::wait_prior<1>(block);
  const int first = tile[0][threads - 1 - threadIdx.x];
  cg::wait(block);
  out[threadIdx.x] = first - tile[1][threadIdx.x ^ 1];
}

// Halves, then reads what other blocks wrote, ten times.
__global__ void whole_grid(int* a, int* b, int n) {
  const auto grid = cg::this_grid();
  int* from = a;
  int* to = b;
  for (int step = 0; step < 10; ++step) {
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) {
      to[i] = from[(i + 1) % n] + 1;
    }
    grid.sync();
    int* const swap = from;
    from = to;
    to = swap;
  }
}

__global__ void arrive_and_wait(int* out) {
  const auto grid = cg::this_grid();
  if (grid.thread_rank() == grid.size() - 1) out[0] = 77;
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));
  if (grid.thread_rank() == 0) out[1] = out[0] + static_cast<int>(grid.num_blocks());
}

// Tiles of several warps exchange through shared memory: from sm_80 on through some that the system
// keeps for that.
__global__ void tiles_of_warps(const int* in, int* out) {
  __shared__ cg::block_tile_memory<threads> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int value = in[block.thread_rank()];
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  tile.sync();
  out[block.thread_rank()] = sum + 3 * cg::inclusive_scan(tile, value) + 5 * tile.shfl(value, 40);
}

template <unsigned Size>
void check_tile(const std::vector<int>& in) {
  DeviceArray<int> source(in), out(threads);
  tile_sums<Size><<<1, threads>>>(source, out);
  std::vector<int> expected(threads);
  for (int t = 0; t < threads; ++t) {
    const int begin = t / Size * Size, end = begin + Size;
    expected[t] = std::accumulate(&in[begin], &in[begin] + Size, 0) +
                  3 * *std::max_element(&in[begin], &in[begin] + Size) +
                  5 * std::accumulate(&in[begin], &in[t], 0) + 7 * in[begin] + 11 +
                  (t + 1 < end ? 13 * in[t + 1] : 0) + t / static_cast<int>(Size);
  }
  EXPECT(out.read() == expected);
}

}  // namespace

int main() {
  const std::vector<int> in = random_words(2 * threads);
  DeviceArray<int> source(in), out(threads);
  check_tile<32>(in);
  check_tile<16>(in);
  check_tile<4>(in);
  check_tile<2>(in);
  std::vector<int> expected(threads);

  for (const unsigned size : {8u, 32u}) {
    dynamic_tiles<<<1, threads>>>(source, out, size);
    for (unsigned t = 0; t < threads; ++t) {
      expected[t] = std::accumulate(&in[t / size * size], &in[t / size * size] + size, 0);
    }
    EXPECT(out.read() == expected);
  }

  tiles_of_warps<<<1, threads>>>(source, out);
  for (int t = 0; t < threads; ++t) {
    const int begin = t / 64 * 64;
    expected[t] = std::accumulate(&in[begin], &in[begin + 64], 0) +
                  3 * std::accumulate(&in[begin], &in[t + 1], 0) + 5 * in[begin + 40];
  }
  EXPECT(out.read() == expected);

  DeviceArray<int> counter(std::vector<int>{0});
  coalesced<<<1, threads>>>(source, counter, out);
  int multiples = 0;
  std::vector<int> places;
  for (int t = 0; t < threads; ++t) multiples += in[t] % 3 == 0;
  for (const int place : out.read()) {
    if (place >= 0) places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  EXPECT(counter.read()[0] == multiples && static_cast<int>(places.size()) == multiples);
  for (int i = 0; i < multiples; ++i) EXPECT(places[i] == i);

  labelled<<<1, threads>>>(source, out);
  for (int t = 0; t < threads; ++t) {
    int even = 0;
    expected[t] = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; ++i) {
      if (in[i] % 4 == in[t] % 4) expected[t] += in[i];
      even += in[i] % 2 == in[t] % 2;
    }
    expected[t] += 1000000 * even;
  }
  EXPECT(out.read() == expected);

  elected<<<1, threads>>>(out);
  EXPECT(out.read() == std::vector<int>(threads, 42 + threads));
  copied<<<1, threads>>>(source, out);
  for (int t = 0; t < threads; ++t) expected[t] = in[threads - 1 - t] - in[threads + (t ^ 1)];
  EXPECT(out.read() == expected);

  constexpr int n = 1000;
  const std::vector<int> start = random_words(n);
  DeviceArray<int> a(start), b(n);
  int* a_data = a;
  int* b_data = b;
  int count = n;
  void* arguments[] = {&a_data, &b_data, &count};
  CALL(cudaLaunchCooperativeKernel(whole_grid, dim3(7), dim3(64), arguments));
  std::vector<int> result(n);
  for (int i = 0; i < n; ++i) result[i] = start[(i + 10) % n] + 10;
  EXPECT(a.read() == result);
  DeviceArray<int> two(2);
  int* two_data = two;
  void* argument[] = {&two_data};
  CALL(cudaLaunchCooperativeKernel(arrive_and_wait, dim3(5), dim3(48), argument));
  EXPECT(two.read() == (std::vector<int>{77, 82}));
  std::printf("groups: all as expected\n");
}
