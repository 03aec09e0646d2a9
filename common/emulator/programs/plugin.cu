// A shared library with a kernel and a variable of its own; loaded by plugin_host.cu.
#include "expect.hpp"

__device__ int calls;

__global__ void count(int* out) {
  *out = ++calls;
}

extern "C" int count_calls() {
  int *device, value = 0;
  CALL(cudaMalloc(&device, sizeof *device));
  count<<<1, 1>>>(device);
  CALL(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  CALL(cudaFree(device));
  return value;
}
