// Histograms of bytes: one for each warp in shared memory, merged by a second kernel; of colours with
// packed counters; and a cumulative one by warp shuffles. Managed memory throughout.
#include <numeric>

#include "../arrays.hpp"

namespace {

constexpr int bins = 256, warps = 6, block = 32 * warps;

__device__ inline void count_word(unsigned* histogram, unsigned word) {
#pragma unroll
  for (int byte = 0; byte < 4; ++byte) atomicAdd(&histogram[word >> 8 * byte & 0xff], 1u);
}

__global__ void partial_histograms(const unsigned* words, int n, unsigned* partial) {
  __shared__ unsigned own[warps][bins];
  for (int i = threadIdx.x; i < warps * bins; i += block) (&own[0][0])[i] = 0;
  __syncthreads();
  unsigned* const mine = own[threadIdx.x / 32];
  for (int i = blockIdx.x * block + threadIdx.x; i < n; i += gridDim.x * block) {
    count_word(mine, words[i]);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += block) {
    unsigned sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += own[warp][bin];
    partial[blockIdx.x * bins + bin] = sum;
  }
}

__global__ void merge(const unsigned* partial, int count, unsigned* histogram) {
  __shared__ unsigned sums[128];
  unsigned sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += partial[i * bins + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}

// Inclusive sums of 256 values by one block of 256 threads.
__global__ void cumulate(const unsigned* histogram, unsigned* sums) {
  __shared__ unsigned totals[8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned value = histogram[threadIdx.x];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value += before;
  }
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) value += totals[w];
  sums[threadIdx.x] = value;
}

// Lanes with the same bin add once.
__global__ void aggregated(const unsigned* words, int n, unsigned* histogram) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bin = words[i] & 0xff;
  const unsigned active = __activemask();
  const unsigned peers = __match_any_sync(active, bin);
  if (__ffs(peers) - 1 == static_cast<int>(threadIdx.x % 32)) {
    atomicAdd(&histogram[bin], static_cast<unsigned>(__popc(peers)));
  }
}

}  // namespace

int main() {
  constexpr int n = 5000, blocks = 9;
  unsigned *words, *partial, *histogram, *sums, *low;
  CALL(cudaMallocManaged(&words, n * sizeof *words));
  CALL(cudaMallocManaged(&partial, blocks * bins * sizeof *partial));
  CALL(cudaMallocManaged(&histogram, bins * sizeof *histogram));
  CALL(cudaMallocManaged(&sums, bins * sizeof *sums));
  CALL(cudaMallocManaged(&low, bins * sizeof *low));
  Random random(3);
  std::vector<unsigned> expected(bins), expected_low(bins);
  for (int i = 0; i < n; ++i) {
    // Some values are much more frequent than others.
    words[i] = random() & (random() | 0x0f0f0f0f);
    for (int byte = 0; byte < 4; ++byte) ++expected[words[i] >> 8 * byte & 0xff];
    ++expected_low[words[i] & 0xff];
  }
  for (int bin = 0; bin < bins; ++bin) low[bin] = 0;
  partial_histograms<<<blocks, block>>>(words, n, partial);
  merge<<<bins, 128>>>(partial, blocks, histogram);
  cumulate<<<1, bins>>>(histogram, sums);
  aggregated<<<(n + 127) / 128, 128>>>(words, n, low);
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
  unsigned total = 0;
  for (int bin = 0; bin < bins; ++bin) {
    total += expected[bin];
    EXPECT(histogram[bin] == expected[bin]);
    EXPECT(sums[bin] == total);
    EXPECT(low[bin] == expected_low[bin]);
  }
  EXPECT(total == 4 * n);
  for (void* memory : {words, partial, histogram, sums, low}) CALL(cudaFree(memory));
  std::printf("histogram: %d bytes in %d bins\n", 4 * n, bins);
}
