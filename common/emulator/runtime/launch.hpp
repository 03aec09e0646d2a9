// Launches: from a kernel's handle and its argument pointers to the device.
#pragma once

#include <cuda_runtime_api.h>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {

struct LaunchRequest {
  const void* kernel = nullptr;  // a host function or a handle
  dim3 grid, block;
  void** arguments = nullptr;
  std::size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

// The kernel behind a host function or a handle. Throws cudaErrorInvalidDeviceFunction.
Kernel& find_kernel(Runtime& runtime, const void* handle);

// Dynamic shared memory that a launch of the kernel may ask for, in bytes.
std::size_t dynamic_shared_limit(Runtime& runtime, const Kernel& kernel,
                                 const FunctionAttributes& attributes);

// Blocks that fit on one multiprocessor by threads and shared memory. Registers are unknown
// without ptxas, so a GPU may hold fewer.
int blocks_per_multiprocessor(const DeviceProperties& properties, int threads,
                              std::size_t shared_bytes);

// Checks the request, copies the arguments and submits the work. Throws ApiError, Fault.
void launch_kernel(Runtime& runtime, const LaunchRequest& request);

// The same as work for a graph's node: arguments are copied now, the kernel runs later.
Work kernel_work(Runtime& runtime, const LaunchRequest& request);

}  // namespace ladder::emulator
