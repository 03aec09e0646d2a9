// The second file of symbols.cu's program: the same names for other things.
#include "expect.hpp"

static __device__ int same_name = 2;

static __global__ void read_same_name(int* out) {
  *out = same_name;
}

int other_file() {
  int *device, value = 0;
  CALL(cudaMalloc(&device, sizeof *device));
  read_same_name<<<1, 1>>>(device);
  CALL(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  CALL(cudaFree(device));
  return value;
}
