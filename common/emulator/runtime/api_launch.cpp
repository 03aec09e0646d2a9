// Registration of fat binaries, kernels and variables, as nvcc's generated code calls it, and
// kernel launches. Toolkit 12 launches through cudaLaunchKernel, 13 through __cudaLaunchKernel.
#include <cuda_runtime_api.h>

#include <vector>

#include "common/emulator/runtime/launch.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::Device;
using ladder::emulator::Effect;
using ladder::emulator::FatBinary;
using ladder::emulator::Kernel;
using ladder::emulator::launch_kernel;
using ladder::emulator::LaunchRequest;
using ladder::emulator::require;
using ladder::emulator::Runtime;
using ladder::emulator::Variable;

namespace {

// What <<<...>>> pushes and the kernel's stub pops, in the same thread.
struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

cudaError_t launch(const LaunchRequest& request, const char* function = "cudaLaunchKernel") {
  return Runtime::call(function, Effect::asynchronous,
                       [&](Runtime& runtime) { launch_kernel(runtime, request); });
}

FatBinary* binary_of(void** handle) {
  return reinterpret_cast<FatBinary*>(handle);
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  return reinterpret_cast<void**>(runtime.modules.add(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  // The code of a kernel that still runs stays: at exit nobody waits for it.
  Device* const device = runtime.running.any() ? nullptr : runtime.device_if_made();
  runtime.modules.remove(binary_of(handle), device);
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int,
                            void*, void*, void*, void*, int*) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_kernel(binary_of(handle), host_function, name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int,
                       std::size_t bytes, int constant, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_variable(host_variable,
                               Variable{binary_of(handle), name, bytes, constant != 0, nullptr});
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int,
                              std::size_t bytes, int constant, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_variable(
      host_pointer, Variable{binary_of(handle), name, bytes, constant != 0, host_pointer});
}

// Variables of the host that device code reads: nothing to do until device code names one.
void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

// Called before the host first touches a managed variable of the binary.
char __cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  try {
    runtime.modules.place_managed(*binary_of(handle), runtime.device());
    return 1;
  } catch (const std::exception& error) {
    runtime.journal.say(error.what());
    return 0;
  }
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream) {
  call_configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (call_configurations.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration top = call_configurations.back();
  call_configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(Kernel** kernel, const void* host_function) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  *kernel = runtime.modules.kernel(host_function);
  return *kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

cudaError_t __cudaLaunchKernel(const Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return launch({kernel, grid, block, arguments, shared_bytes, stream});
}
decltype(__cudaLaunchKernel) __cudaLaunchKernel_ptsz [[gnu::alias("__cudaLaunchKernel")]];

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch({kernel, grid, block, arguments, shared_bytes, stream});
}
decltype(cudaLaunchKernel) cudaLaunchKernel_ptsz [[gnu::alias("cudaLaunchKernel")]];

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return launch({kernel, grid, block, arguments, shared_bytes, stream, true},
                "cudaLaunchCooperativeKernel");
}
decltype(cudaLaunchCooperativeKernel) cudaLaunchCooperativeKernel_ptsz
    [[gnu::alias("cudaLaunchCooperativeKernel")]];

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  return Runtime::call("cudaLaunchKernelExC", Effect::asynchronous, [&](Runtime& runtime) {
    require(config != nullptr);
    LaunchRequest request{kernel,    config->gridDim,          config->blockDim,
                          arguments, config->dynamicSmemBytes, config->stream};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const cudaLaunchAttribute& attribute = config->attrs[i];
      // Attributes that only advise (priority, access policy, overlap) need nothing here.
      if (attribute.id == cudaLaunchAttributeCooperative)
        request.cooperative = attribute.val.cooperative != 0;
      const auto& cluster = attribute.val.clusterDim;
      if (attribute.id == cudaLaunchAttributeClusterDimension &&
          (cluster.x > 1 || cluster.y > 1 || cluster.z > 1))
        throw ApiError(cudaErrorNotSupported, "thread block clusters are not supported");
    }
    launch_kernel(runtime, request);
  });
}
decltype(cudaLaunchKernelExC) cudaLaunchKernelExC_ptsz [[gnu::alias("cudaLaunchKernelExC")]];

}  // extern "C"
