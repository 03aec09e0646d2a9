// Properties, attributes, occupancy, limits, pools.
#include <cstring>

#include "expect.hpp"

__global__ void with_shared(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
  int count = 0, driver = 0, runtime = 0;
  CALL(cudaGetDeviceCount(&count));
  CALL(cudaDriverGetVersion(&driver));
  CALL(cudaRuntimeGetVersion(&runtime));
  EXPECT(count >= 1 && driver >= runtime && runtime == CUDART_VERSION);

  cudaDeviceProp properties;
  CALL(cudaGetDeviceProperties(&properties, 0));
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    CALL(cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  EXPECT(attribute(cudaDevAttrWarpSize) == 32 && properties.warpSize == 32);
  EXPECT(attribute(cudaDevAttrMultiProcessorCount) == properties.multiProcessorCount);
  EXPECT(attribute(cudaDevAttrComputeCapabilityMajor) == properties.major);
  EXPECT(attribute(cudaDevAttrMaxGridDimX) == properties.maxGridSize[0]);
  EXPECT(attribute(cudaDevAttrL2CacheSize) == properties.l2CacheSize);
  std::printf("%s: sm_%d%d, %d multiprocessors\n", properties.name, properties.major,
              properties.minor, properties.multiProcessorCount);

  cudaFuncAttributes kernel;
  CALL(cudaFuncGetAttributes(&kernel, with_shared));
  EXPECT(kernel.sharedSizeBytes == 1024 && kernel.maxThreadsPerBlock == 1024);
  int blocks = 0, grid = 0, block = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, 256, 0));
  EXPECT(blocks == properties.maxThreadsPerMultiProcessor / 256);
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, with_shared));
  EXPECT(grid > 0 && block > 0 && block <= 1024);

  size_t limit = 0, free_bytes = 0, total = 0, still_free = 0;
  CALL(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CALL(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  EXPECT(limit == 4096);
  CALL(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes <= total && total == properties.totalGlobalMem);

  void* pooled;
  CALL(cudaMallocAsync(&pooled, 1 << 20, nullptr));
  CALL(cudaMemGetInfo(&still_free, &total));
  EXPECT(still_free < free_bytes);
  CALL(cudaFreeAsync(pooled, nullptr));

  EXPECT(cudaGetDeviceProperties(&properties, count) == cudaErrorInvalidDevice);
  cudaGetLastError();
  void* leftover;
  CALL(cudaMalloc(&leftover, 4));
  CALL(cudaDeviceReset());
  CALL(cudaMalloc(&leftover, 4));  // usable again
  CALL(cudaFree(leftover));
}
