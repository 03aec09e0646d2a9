// Event timing the honest way: cold L2, many samples, the median with its 95 % interval.
//
//   ladder::ColdTimer timer;
//   for (int k = 0; k < 50; ++k) samples.push_back(timer.time([&] { kernel<<<g, b>>>(...); }));
//   const auto m = ladder::median_of(samples);  // m.median, m.low, m.high in microseconds
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "common/check.hpp"

namespace ladder {

// A pair of events round some work on a stream. Not to be copied.
class EventTimer {
 public:
  // Makes the events, on the current device.
  EventTimer() {
    CUDA_CHECK(cudaEventCreate(&start_));
    CUDA_CHECK(cudaEventCreate(&stop_));
  }
  // Frees them.
  ~EventTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  // Microseconds that `work`, any callable, took on `stream`, as the GPU counted them: from the end
  // of what was queued before it to its own end. Waits for that.
  template <class Work>
  float time(Work&& work, cudaStream_t stream = nullptr) {
    CUDA_CHECK(cudaEventRecord(start_, stream));
    work();
    CUDA_CHECK(cudaEventRecord(stop_, stream));
    CUDA_CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1000;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// Empties the L2 cache: overwrites a scratch buffer of twice its size. Not to be copied.
class ColdCache {
 public:
  // Allocates the buffer, on the current device.
  ColdCache() {
    int device = 0, l2_bytes = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    bytes_ = 2 * static_cast<std::size_t>(std::max(l2_bytes, 1 << 20));
    CUDA_CHECK(cudaMalloc(&scratch_, bytes_));
  }
  // Frees it.
  ~ColdCache() { cudaFree(scratch_); }
  ColdCache(const ColdCache&) = delete;
  ColdCache& operator=(const ColdCache&) = delete;

  // What comes next on `stream` finds nothing of its data in L2, lines set to persist included.
  // Does not wait.
  void flush(cudaStream_t stream = nullptr) {
    CUDA_CHECK(cudaCtxResetPersistingL2Cache());
    CUDA_CHECK(cudaMemsetAsync(scratch_, ++value_ & 0xff, bytes_, stream));
  }

 private:
  void* scratch_ = nullptr;
  std::size_t bytes_ = 0;
  int value_ = 0;
};

// Times work that starts with a cold L2, as a solver's call in a large program does.
class ColdTimer {
 public:
  // Microseconds of `work`, any callable that queues on `stream`, started with nothing of its data
  // in L2. Waits for its end.
  template <class Work>
  float time(Work&& work, cudaStream_t stream = nullptr) {
    cache_.flush(stream);
    return timer_.time(work, stream);
  }

 private:
  ColdCache cache_;
  EventTimer timer_;
};

// A median and the 95 % interval for it, from order statistics (binomial, no assumption about
// the distribution): ranks n/2 -+ 0.98 sqrt(n). Same unit as the samples.
struct Median {
  double median = 0;  // of an even number of samples: the mean of the two in the middle
  double low = 0;     // lower end of the interval
  double high = 0;    // upper end
  int samples = 0;    // how many there were
};

// Of samples in any order; all zero for none. With few of them the interval is all that there are.
inline Median median_of(std::vector<float> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const int n = static_cast<int>(samples.size());
  const double reach = 0.98 * std::sqrt(static_cast<double>(n));
  const int low = std::max(0, static_cast<int>(std::floor((n - 1) / 2.0 - reach)));
  const int high = std::min(n - 1, static_cast<int>(std::ceil((n - 1) / 2.0 + reach)));
  return {(samples[(n - 1) / 2] + samples[n / 2]) / 2.0, samples[low], samples[high], n};
}

}  // namespace ladder
