// How many blocks a kernel gets whose threads walk over the elements: chapter 03, step 05.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/check.hpp"

namespace ladder {

// Enough blocks for N elements, of which a block takes `elements` in one turn; and no more than
// `per_multiprocessor` for each multiprocessor of the device. 0 for N = 0.
inline int blocks_for(std::int64_t N, int elements, int per_multiprocessor) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::int64_t needed = (N + elements - 1) / elements;
  return static_cast<int>(
      std::min<std::int64_t>(needed, std::int64_t{per_multiprocessor} * multiprocessors));
}

}  // namespace ladder
