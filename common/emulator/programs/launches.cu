// What can be asked of kernels, and the ways to launch them: attributes, occupancy, limits, extended
// launches, allocation in the order of streams, pools.
#include <cstring>

#include "arrays.hpp"

namespace {

struct Big {
  double numbers[5];
  char letter;
};

__constant__ float weights[16];

__global__ void __launch_bounds__(256) bounded(Big big, const int* in, int* out) {
  __shared__ int tile[300];
  tile[threadIdx.x] = in[threadIdx.x] + static_cast<int>(weights[threadIdx.x % 16]);
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + big.letter +
                     static_cast<int>(big.numbers[threadIdx.x % 5]);
}

__global__ void dynamic(int* out, int n) {
  extern __shared__ int words[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) words[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = words[n - 1];
}

__global__ void spilled(float* out, int at) {
  float own[100];
  for (int i = 0; i < 100; ++i) own[i] = i * out[0];
  out[1] = own[at];
}

void attributes() {
  cudaFuncAttributes a;
  CALL(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.sharedSizeBytes == 300 * sizeof(int));
  EXPECT(a.maxThreadsPerBlock == 256);
  EXPECT(a.constSizeBytes >= sizeof weights);
  EXPECT(a.binaryVersion == 90 && a.ptxVersion == 75);
  EXPECT(a.maxDynamicSharedSizeBytes == 48 * 1024 - 300 * static_cast<int>(sizeof(int)));
  CALL(cudaFuncGetAttributes(&a, spilled));
  EXPECT(a.localSizeBytes >= 400);
  EXPECT(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&attributes)) ==
         cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}

void occupancy() {
  int blocks = 0;
  // An H200's multiprocessor holds 2048 threads, 32 blocks, 228 KB of shared memory, of which a block
  // takes one more.
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 256, 0));
  EXPECT(blocks == 8);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 33, 0));
  EXPECT(blocks == 32);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 128, 40 * 1024));
  EXPECT(blocks == 5);
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 512, 0));
  EXPECT(blocks == 0);
  int grid = 0, block = 0;
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
  EXPECT(block == 256 && grid >= 132);
  std::size_t bytes = 0;
  CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, dynamic, 2, 128));
  EXPECT(bytes == 113 * 1024);
}

void much_shared_memory() {
  constexpr int n = 30000;
  DeviceArray<int> out(1);
  dynamic<<<1, 128, n * sizeof(int)>>>(out, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
  CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout,
                            cudaSharedmemCarveoutMaxShared));
  dynamic<<<1, 128, n * sizeof(int)>>>(out, n);
  EXPECT(out.read()[0] == n - 1);
}

void extended_launch() {
  Big big = {{1, 2, 3, 4, 5}, 'A'};
  const float host_weights[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  CALL(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
  const std::vector<int> in = random_words(256);
  DeviceArray<int> source(in), out(256);
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  cudaLaunchAttribute list[3] = {};
  list[0].id = cudaLaunchAttributePriority;
  list[0].val.priority = -1;
  list[1].id = cudaLaunchAttributeCooperative;
  list[1].val.cooperative = 1;
  list[2].id = cudaLaunchAttributeClusterDimension;
  list[2].val.clusterDim.x = list[2].val.clusterDim.y = list[2].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  config.stream = stream;
  config.attrs = list;
  config.numAttrs = 3;
  CALL(cudaLaunchKernelEx(&config, bounded, big, static_cast<const int*>(source), out.data()));
  CALL(cudaStreamSynchronize(stream));
  const std::vector<int> got = out.read();
  for (int t = 0; t < 256; ++t) {
    const int from = 255 - t;
    EXPECT(got[t] == in[from] + static_cast<int>(host_weights[from % 16]) + 'A' + t % 5 + 1);
  }
  config.blockDim = dim3(257);
  EXPECT(cudaLaunchKernelEx(&config, bounded, big, static_cast<const int*>(source), out.data()) !=
         cudaSuccess);
  cudaGetLastError();
  CALL(cudaStreamDestroy(stream));
}

void pools() {
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  int supported = 0;
  CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT(supported == 1);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t own, standard, current;
  CALL(cudaMemPoolCreate(&own, &properties));
  CALL(cudaDeviceGetDefaultMemPool(&standard, 0));
  CALL(cudaDeviceSetMemPool(0, own));
  CALL(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == own && own != standard);
  unsigned long long threshold = 1 << 20, read = 0;
  CALL(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  CALL(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &read));
  EXPECT(read == threshold);
  int *a, *b, host = 0;
  CALL(cudaMallocAsync(&a, 1000, stream));
  CALL(cudaMallocFromPoolAsync(&b, 1000, own, stream));
  dynamic<<<1, 32, 64, stream>>>(a, 16);
  CALL(cudaMemcpyAsync(b, a, sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CALL(cudaMemcpyAsync(&host, b, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CALL(cudaFreeAsync(a, stream));
  CALL(cudaFreeAsync(b, stream));
  CALL(cudaStreamSynchronize(stream));
  EXPECT(host == 15);
  CALL(cudaMemPoolTrimTo(own, 0));
  CALL(cudaDeviceSetMemPool(0, standard));
  CALL(cudaMemPoolDestroy(own));
  EXPECT(cudaMemPoolDestroy(own) == cudaErrorInvalidValue);
  cudaGetLastError();
  CALL(cudaStreamDestroy(stream));
}

}  // namespace

int main() {
  attributes();
  occupancy();
  much_shared_memory();
  extended_launch();
  pools();
  std::printf("launches: all as expected\n");
}
