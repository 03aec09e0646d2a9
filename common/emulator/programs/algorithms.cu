// CUB's and Thrust's algorithms, called the ordinary way.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <functional>
#include <numeric>

#include "arrays.hpp"

namespace {

// Asks how much scratch memory is needed, gets it, and runs.
template <class Algorithm>
void with_scratch(Algorithm run) {
  std::size_t bytes = 0;
  CALL(run(nullptr, bytes));
  DeviceArray<char> scratch(bytes);
  CALL(run(scratch.data(), bytes));
  CALL(cudaDeviceSynchronize());
}

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return (value & 1) != 0; }
};

void reduce(int n) {
  const std::vector<int> values = random_words(n);
  DeviceArray<int> in(values), sum(1), most(1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in.data(), sum.data(), n);
  });
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Max(scratch, bytes, in.data(), most.data(), n);
  });
  EXPECT(sum.read()[0] == std::accumulate(values.begin(), values.end(), 0));
  EXPECT(most.read()[0] == *std::max_element(values.begin(), values.end()));
}

// Small integers, whose sums a float holds exactly.
void reduce_floats(int n) {
  const std::vector<int> words = random_words(n, 8);
  const std::vector<float> values(words.begin(), words.end());
  DeviceArray<float> in(values), sum(1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in.data(), sum.data(), n);
  });
  EXPECT(sum.read()[0] == std::accumulate(values.begin(), values.end(), 0.0f));
}

void scan(int n) {
  const std::vector<int> values = random_words(n);
  DeviceArray<int> in(values), out(n);
  std::vector<int> expected(n);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in.data(), out.data(), n);
  });
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
  EXPECT(out.read() == expected);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.data(), out.data(), n);
  });
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  EXPECT(out.read() == expected);
}

void select(int n) {
  const std::vector<int> values = random_words(n);
  DeviceArray<int> in(values), out(n), count(1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in.data(), out.data(), count.data(), n, IsOdd());
  });
  std::vector<int> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), IsOdd());
  std::vector<int> got = out.read();
  got.resize(count.read()[0]);
  EXPECT(got == expected);
}

void sort_pairs(int n) {
  const std::vector<int> values = random_words(n, 500);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  DeviceArray<int> keys(values), sorted(n), places(order), moved(n);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted.data(),
                                           places.data(), moved.data(), n);
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
  EXPECT(moved.read() == order);
  std::vector<int> expected(n);
  std::transform(order.begin(), order.end(), expected.begin(), [&](int i) { return values[i]; });
  EXPECT(sorted.read() == expected);
}

void thrust_vectors(int n) {
  std::vector<int> values = random_words(n, 1 << 20);
  thrust::device_vector<int> vector(values.begin(), values.end());
  EXPECT(thrust::reduce(vector.begin(), vector.end(), 0LL) ==
         std::accumulate(values.begin(), values.end(), 0LL));
  thrust::sort(vector.begin(), vector.end(), thrust::greater<int>());
  std::sort(values.begin(), values.end(), std::greater<int>());
  std::vector<int> got(n);
  thrust::copy(vector.begin(), vector.end(), got.begin());
  EXPECT(got == values);
}

}  // namespace

int main() {
  for (const int n : {1, 31, 1000, 10007, 70001}) {
    reduce(n);
    scan(n);
    select(n);
  }
  reduce_floats(20000);
  for (const int n : {1, 1000, 30011}) sort_pairs(n);
  thrust_vectors(20011);
  std::printf("algorithms: all as expected\n");
}
