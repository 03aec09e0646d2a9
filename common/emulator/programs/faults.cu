// What cannot be recovered from. The argument says which: illegal, misaligned, assert, trap,
// forever, double_free, copy, bad_host, host_read, host_write, leak.
#include <cassert>
#include <cstring>

#include "expect.hpp"

__global__ void store(float* out, int i) {
  out[i] = 1.0f;
}
__global__ void check(const float* in) {
  assert(in[threadIdx.x] == 0.0f && "must be zero");
}
__global__ void stop() {
  __trap();
}
// Counts its rounds, so that no two are alike.
__global__ void forever(volatile float* flag) {
  unsigned rounds = 0;
  while (*flag != 7.0f) ++rounds;
  *flag = static_cast<float>(rounds);
}
__global__ void misaligned(char* out) {
  *reinterpret_cast<int*>(out + 1) = 1;
}

// A kernel's fault: the launch succeeds, the next synchronisation reports it, and it stays.
static int expect_sticky(cudaError_t fault, float* device) {
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == fault);
  EXPECT(cudaGetLastError() == fault);
  EXPECT(cudaGetLastError() == fault);
  float host;
  EXPECT(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost) == fault);
  void* more;
  EXPECT(cudaMalloc(&more, 4) == fault);
  store<<<1, 1>>>(device, 0);
  EXPECT(cudaGetLastError() == fault);
  EXPECT(cudaFree(device) == fault);
  std::printf("%s\n", cudaGetErrorName(fault));
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  float* device;
  CALL(cudaMalloc(&device, 100 * sizeof(float)));
  CALL(cudaMemset(device, 0x3f, 100 * sizeof(float)));
  if (std::strcmp(what, "illegal") == 0) {
    store<<<1, 1>>>(device, 100);
    return expect_sticky(cudaErrorIllegalAddress, device);
  }
  if (std::strcmp(what, "misaligned") == 0) {
    misaligned<<<1, 1>>>(reinterpret_cast<char*>(device));
    return expect_sticky(cudaErrorMisalignedAddress, device);
  }
  if (std::strcmp(what, "assert") == 0) {
    check<<<1, 1>>>(device);
    return expect_sticky(cudaErrorAssert, device);
  }
  if (std::strcmp(what, "trap") == 0) {
    stop<<<1, 1>>>();
    return expect_sticky(cudaErrorLaunchFailure, device);
  }
  if (std::strcmp(what, "forever") == 0) {
    forever<<<1, 1>>>(device);
    return expect_sticky(cudaErrorLaunchTimeout, device);
  }
  if (std::strcmp(what, "double_free") == 0) {
    CALL(cudaFree(device));
    EXPECT(cudaFree(device) == cudaErrorInvalidValue);
    CALL(cudaDeviceSynchronize());
  }
  if (std::strcmp(what, "copy") == 0) {
    float host[101] = {};
    EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CALL(cudaFree(device));
  }
  if (std::strcmp(what, "bad_host") == 0)
    CALL(cudaMemcpy(device, reinterpret_cast<void*>(16), 400, cudaMemcpyHostToDevice));
  if (std::strcmp(what, "host_read") == 0) return device[3] > 0;
  if (std::strcmp(what, "host_write") == 0) device[3] = 1;
  return 0;  // leak: `device` is not freed
}
