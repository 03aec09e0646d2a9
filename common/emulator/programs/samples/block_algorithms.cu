// Kernels made of CUB's pieces for blocks and warps, and of what cuda::std has for devices: a stream
// compaction, a segmented sum, a k-th smallest by bits, statistics with cuda::std::array and complex.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>

#include <algorithm>
#include <numeric>

#include "../arrays.hpp"

namespace {

constexpr int block = 128, items = 4, tile = block * items;

__global__ void block_sums(const int* in, int n, int* sums, int* maxima) {
  using Reduce = cub::BlockReduce<int, block>;
  using WarpReduce = cub::BlockReduce<int, block, cub::BLOCK_REDUCE_RAKING>;
  __shared__ union {
    typename Reduce::TempStorage sum;
    typename WarpReduce::TempStorage most;
  } storage;
  const int i = blockIdx.x * block + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const int sum = Reduce(storage.sum).Sum(value);
  __syncthreads();
  const int most =
      WarpReduce(storage.most).Reduce(value, [](int a, int b) { return a > b ? a : b; });
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    maxima[blockIdx.x] = most;
  }
}

// Keeps multiples of 3, in order within a tile, tiles in the order in which they come.
__global__ void compact(const int* in, int n, int* out, int* count) {
  using Load = cub::BlockLoad<int, block, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<int, block>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
  } storage;
  __shared__ int base;
  const int first = blockIdx.x * tile;
  int values[items], flags[items], places[items], total;
  Load(storage.load).Load(in + first, values, n - first, 1);
  __syncthreads();
  for (int i = 0; i < items; ++i) flags[i] = values[i] % 3 == 0;
  Scan(storage.scan).ExclusiveSum(flags, places, total);
  if (threadIdx.x == 0) {
    base = cuda::atomic_ref<int, cuda::thread_scope_device>(*count).fetch_add(
        total, cuda::memory_order_relaxed);
  }
  __syncthreads();
  for (int i = 0; i < items; ++i) {
    if (flags[i]) out[base + places[i]] = values[i];
  }
}

__global__ void sort_tiles(unsigned* keys) {
  using Sort = cub::BlockRadixSort<unsigned, block, items>;
  __shared__ typename Sort::TempStorage storage;
  unsigned own[items];
  unsigned* const begin = keys + blockIdx.x * tile;
  cub::LoadDirectBlocked(threadIdx.x, begin, own);
  Sort(storage).Sort(own, 0, 12);
  cub::StoreDirectBlocked(threadIdx.x, begin, own);
}

__global__ void warp_scans(const int* in, int* sums, int* totals) {
  using Scan = cub::WarpScan<int>;
  using Reduce = cub::WarpReduce<int, 16>;
  __shared__ typename Scan::TempStorage scan[block / 32];
  __shared__ typename Reduce::TempStorage reduce[block / 16];
  const int value = in[threadIdx.x];
  int sum;
  Scan(scan[threadIdx.x / 32]).InclusiveSum(value, sum);
  sums[threadIdx.x] = sum;
  const int total = Reduce(reduce[threadIdx.x / 16]).Sum(value);
  if (threadIdx.x % 16 == 0) totals[threadIdx.x / 16] = total;
}

struct Statistics {
  cuda::std::array<float, 3> moments;
  cuda::std::complex<float> turn;
  int least;
};

__global__ void statistics(const int* in, int n, Statistics* out) {
  cuda::std::array<float, 3> moments = {0, 0, 0};
  cuda::std::complex<float> turn(1, 0);
  int least = cuda::std::numeric_limits<int>::max();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const auto [value, square] = cuda::std::make_tuple(in[i], in[i] * in[i]);
    moments[0] += 1;
    moments[1] += value;
    moments[2] += square;
    turn *= cuda::std::complex<float>(0, value % 2 == 0 ? 1 : -1);
    least = cuda::std::min(least, value);
  }
  out[threadIdx.x] = {moments, turn, least};
}

__global__ void tickets(cuda::atomic<int, cuda::thread_scope_device>* counter, int* taken) {
  taken[counter->fetch_add(1)] = 1;
}

}  // namespace

int main() {
  constexpr int n = 3 * tile - 77, blocks = (n + block - 1) / block;
  const std::vector<int> values = random_words(n, 100);  // whose squares a float adds exactly
  DeviceArray<int> in(values), sums(blocks), maxima(blocks);
  block_sums<<<blocks, block>>>(in, n, sums, maxima);
  const std::vector<int> got_sums = sums.read(), got_maxima = maxima.read();
  for (int b = 0; b < blocks; ++b) {
    const int* begin = &values[b * block];
    const int* end = values.data() + std::min(n, (b + 1) * block);
    EXPECT(got_sums[b] == std::accumulate(begin, end, 0));
    EXPECT(got_maxima[b] == *std::max_element(begin, end));
  }

  DeviceArray<int> kept(n), count(std::vector<int>{0});
  compact<<<(n + tile - 1) / tile, block>>>(in, n, kept, count);
  std::vector<int> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
               [](int value) { return value % 3 == 0; });
  std::vector<int> got = kept.read();
  got.resize(count.read()[0]);
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT(got == expected);

  std::vector<unsigned> keys(2 * tile);
  Random random(4);
  for (unsigned& key : keys) key = random() & 0xfff;
  DeviceArray<unsigned> device_keys(keys);
  sort_tiles<<<2, block>>>(device_keys);
  std::sort(keys.begin(), keys.begin() + tile);
  std::sort(keys.begin() + tile, keys.end());
  EXPECT(device_keys.read() == keys);

  DeviceArray<int> scanned(block), totals(block / 16);
  warp_scans<<<1, block>>>(in, scanned, totals);
  const std::vector<int> got_scan = scanned.read(), got_totals = totals.read();
  for (int t = 0; t < block; ++t) {
    EXPECT(got_scan[t] == std::accumulate(&values[t / 32 * 32], &values[t] + 1, 0));
    EXPECT(got_totals[t / 16] ==
           std::accumulate(&values[t / 16 * 16], &values[t / 16 * 16] + 16, 0));
  }

  DeviceArray<Statistics> each(32);
  statistics<<<1, 32>>>(in, n, each);
  double sum = 0, square = 0, amount = 0;
  int least = 1 << 30;
  for (const Statistics& s : each.read()) {
    amount += s.moments[0];
    sum += s.moments[1];
    square += s.moments[2];
    least = std::min(least, s.least);
    EXPECT(s.turn.real() * s.turn.real() + s.turn.imag() * s.turn.imag() == 1);
  }
  EXPECT(amount == n && sum == std::accumulate(values.begin(), values.end(), 0.0));
  EXPECT(square == std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
  EXPECT(least == *std::min_element(values.begin(), values.end()));

  cuda::atomic<int, cuda::thread_scope_device>* counter;
  CALL(cudaMalloc(&counter, sizeof *counter));
  CALL(cudaMemset(counter, 0, sizeof *counter));
  DeviceArray<int> taken(std::vector<int>(200, 0));
  tickets<<<4, 50>>>(counter, taken);
  EXPECT(taken.read() == std::vector<int>(200, 1));
  CALL(cudaFree(counter));
  std::printf("block algorithms: all agree\n");
}
