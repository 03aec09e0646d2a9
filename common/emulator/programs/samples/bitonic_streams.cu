// Sorts several arrays at once, each in a stream of its own: pinned memory, asynchronous copies,
// events between streams, a bitonic network in shared and then in global memory.
#include <algorithm>

#include "../arrays.hpp"

namespace {

constexpr unsigned shared_size = 512;

__device__ inline void compare(unsigned& a, unsigned& b, bool ascending) {
  if ((a > b) == ascending) {
    const unsigned swap = a;
    a = b;
    b = swap;
  }
}

// Steps of the network that stay within shared_size elements.
__global__ void __launch_bounds__(shared_size / 2)
    sort_in_shared(unsigned* keys, unsigned first_size, unsigned last_size) {
  __shared__ unsigned tile[shared_size];
  const unsigned base = blockIdx.x * shared_size, t = threadIdx.x;
  tile[t] = keys[base + t];
  tile[t + shared_size / 2] = keys[base + t + shared_size / 2];
  for (unsigned size = first_size; size <= last_size; size <<= 1) {
    for (unsigned stride = min(size, shared_size) / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned at = 2 * t - (t & (stride - 1));
      compare(tile[at], tile[at + stride], ((base + at) & size) == 0);
    }
  }
  __syncthreads();
  keys[base + t] = tile[t];
  keys[base + t + shared_size / 2] = tile[t + shared_size / 2];
}

__global__ void merge_in_global(unsigned* keys, unsigned size, unsigned stride) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned at = 2 * t - (t & (stride - 1));
  compare(keys[at], keys[at + stride], (at & size) == 0);
}

void sort(unsigned* keys, unsigned n, cudaStream_t stream) {
  sort_in_shared<<<n / shared_size, shared_size / 2, 0, stream>>>(keys, 2, shared_size);
  for (unsigned size = 2 * shared_size; size <= n; size <<= 1) {
    for (unsigned stride = size / 2; stride >= shared_size; stride >>= 1) {
      merge_in_global<<<n / 256, 128, 0, stream>>>(keys, size, stride);
    }
    sort_in_shared<<<n / shared_size, shared_size / 2, 0, stream>>>(keys, size, size);
  }
}

__global__ void check_order(const unsigned* keys, unsigned n, unsigned* mistakes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n && keys[i] > keys[i + 1]) atomicAdd(mistakes, 1u);
}

}  // namespace

int main() {
  constexpr unsigned streams = 3, n = 4096;
  cudaStream_t stream[streams], checker;
  cudaEvent_t sorted[streams], begin, end;
  unsigned *host, *device, *mistakes, host_mistakes = 1;
  CALL(cudaMallocHost(&host, streams * n * sizeof(unsigned)));
  CALL(cudaMalloc(&device, streams * n * sizeof(unsigned)));
  CALL(cudaMalloc(&mistakes, sizeof(unsigned)));
  CALL(cudaMemset(mistakes, 0, sizeof(unsigned)));
  CALL(cudaStreamCreateWithFlags(&checker, cudaStreamNonBlocking));
  CALL(cudaEventCreate(&begin));
  CALL(cudaEventCreate(&end));

  Random random(99);
  std::vector<std::vector<unsigned>> expected(streams);
  for (unsigned s = 0; s < streams; ++s) {
    for (unsigned i = 0; i < n; ++i) host[s * n + i] = random();
    expected[s].assign(host + s * n, host + (s + 1) * n);
    std::sort(expected[s].begin(), expected[s].end());
  }
  CALL(cudaEventRecord(begin));
  for (unsigned s = 0; s < streams; ++s) {
    CALL(cudaStreamCreate(&stream[s]));
    CALL(cudaEventCreateWithFlags(&sorted[s], cudaEventDisableTiming));
    unsigned* const own = device + s * n;
    CALL(cudaMemcpyAsync(own, host + s * n, n * sizeof(unsigned), cudaMemcpyHostToDevice,
                         stream[s]));
    sort(own, n, stream[s]);
    CALL(cudaGetLastError());
    CALL(cudaEventRecord(sorted[s], stream[s]));
    CALL(cudaMemcpyAsync(host + s * n, own, n * sizeof(unsigned), cudaMemcpyDeviceToHost,
                         stream[s]));
    CALL(cudaStreamWaitEvent(checker, sorted[s], 0));
    check_order<<<n / 256, 256, 0, checker>>>(own, n, mistakes);
  }
  CALL(cudaEventRecord(end));
  CALL(
      cudaMemcpyAsync(&host_mistakes, mistakes, sizeof(unsigned), cudaMemcpyDeviceToHost, checker));
  CALL(cudaDeviceSynchronize());
  float milliseconds = -1;
  CALL(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 0 && host_mistakes == 0);
  for (unsigned s = 0; s < streams; ++s) {
    EXPECT(std::equal(expected[s].begin(), expected[s].end(), host + s * n));
    CALL(cudaEventDestroy(sorted[s]));
    CALL(cudaStreamDestroy(stream[s]));
  }
  CALL(cudaStreamDestroy(checker));
  CALL(cudaEventDestroy(begin));
  CALL(cudaEventDestroy(end));
  CALL(cudaFree(mistakes));
  CALL(cudaFree(device));
  CALL(cudaFreeHost(host));
  std::printf("bitonic sort in %u streams: sorted\n", streams);
}
