// Errors that a program can recover from: named, kept until asked for, and forgotten then.
#include <cstring>

#include "expect.hpp"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small_blocks() {}
__global__ void much_shared(int* out) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  if (threadIdx.x == 0) *out = shared[0];
}

static void launches() {
  nothing<<<0, 1>>>();
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  nothing<<<1, 1025>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  small_blocks<<<1, 65>>>();
  EXPECT(cudaGetLastError() != cudaSuccess);
  CALL(cudaDeviceSynchronize());  // a refused launch is no fault

  int* out;
  CALL(cudaMalloc(&out, sizeof *out));
  much_shared<<<1, 32, 64 << 10>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CALL(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  much_shared<<<1, 32, 64 << 10>>>(out);
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
  EXPECT(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
         cudaErrorInvalidValue);
  cudaGetLastError();
  CALL(cudaFree(out));
}

static void memory() {
  void* huge = nullptr;
  EXPECT(cudaMalloc(&huge, size_t{1} << 50) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  void* empty = &huge;
  EXPECT(cudaMalloc(&empty, 0) == cudaSuccess && empty == nullptr);
  float host = 0;
  float* device;
  CALL(cudaMalloc(&device, sizeof host));
  EXPECT(cudaMemcpy(device, &host, sizeof host, static_cast<cudaMemcpyKind>(9)) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpy(device, device, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, nullptr, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CALL(cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice));
  CALL(cudaFree(device));
  cudaGetLastError();
}

static void handles() {
  int dummy = 0, device = -1;
  EXPECT(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(&dummy)) ==
         cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventRecord(reinterpret_cast<cudaEvent_t>(&dummy)) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CALL(cudaGetDevice(&device));
  EXPECT(device == 0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
}

int main() {
  launches();
  memory();
  handles();
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  std::printf("errors: all as expected\n");
}
