// Kernels' attributes and occupancy.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/runtime/launch.hpp"

using ladder::emulator::blocks_per_multiprocessor;
using ladder::emulator::DeviceProperties;
using ladder::emulator::dynamic_shared_limit;
using ladder::emulator::Effect;
using ladder::emulator::find_kernel;
using ladder::emulator::FunctionAttributes;
using ladder::emulator::Kernel;
using ladder::emulator::require;
using ladder::emulator::Runtime;

namespace {

const FunctionAttributes& attributes_of(Runtime& runtime, Kernel& kernel) {
  return runtime.device().attributes(runtime.modules.function(kernel, runtime.device()));
}

template <class Body>
cudaError_t ask_kernel(const char* function, const void* handle, Body body) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    Kernel& kernel = find_kernel(runtime, handle);
    body(runtime, kernel);
  });
}

cudaError_t max_active_blocks(const char* function, int* blocks, const void* handle, int threads,
                              std::size_t dynamic_bytes) {
  return ask_kernel(function, handle, [&](Runtime& runtime, Kernel& kernel) {
    require(blocks != nullptr && threads > 0);
    const FunctionAttributes& attributes = attributes_of(runtime, kernel);
    const bool fits = threads <= attributes.max_threads_per_block &&
                      dynamic_bytes <= dynamic_shared_limit(runtime, kernel, attributes);
    *blocks = fits ? blocks_per_multiprocessor(runtime.device().properties(), threads,
                                               attributes.static_shared_bytes + dynamic_bytes)
                   : 0;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* handle) {
  return ask_kernel("cudaFuncGetAttributes", handle, [&](Runtime& runtime, Kernel& kernel) {
    require(out != nullptr);
    const FunctionAttributes& attributes = attributes_of(runtime, kernel);
    const DeviceProperties& device = runtime.device().properties();
    *out = {};
    out->sharedSizeBytes = attributes.static_shared_bytes;
    out->constSizeBytes = attributes.constant_bytes;
    out->localSizeBytes = attributes.local_bytes;
    out->maxThreadsPerBlock = attributes.max_threads_per_block;
    out->numRegs = attributes.registers;
    out->ptxVersion = attributes.ptx_version;
    out->binaryVersion = device.major * 10 + device.minor;
    out->maxDynamicSharedSizeBytes =
        static_cast<int>(dynamic_shared_limit(runtime, kernel, attributes));
    out->preferredShmemCarveout = kernel.carveout;
  });
}

cudaError_t cudaFuncSetAttribute(const void* handle, cudaFuncAttribute attribute, int value) {
  return ask_kernel("cudaFuncSetAttribute", handle, [&](Runtime& runtime, Kernel& kernel) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      const std::size_t used = attributes_of(runtime, kernel).static_shared_bytes;
      const std::size_t most = runtime.device().properties().shared_per_block_optin;
      if (value < 0 || used + static_cast<std::size_t>(value) > most)
        throw ladder::emulator::ApiError(
            cudaErrorInvalidValue, std::to_string(value) + " bytes of dynamic shared memory (" +
                                       std::to_string(used) + " static) are more than the " +
                                       std::to_string(most) + " that a block can have");
      kernel.dynamic_shared_limit = value;
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      require(value >= -1 && value <= 100);
      kernel.carveout = value;
    } else {
      require(attribute >= cudaFuncAttributeMaxDynamicSharedMemorySize &&
              attribute < cudaFuncAttributeMax);
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* handle, cudaFuncCache) {
  return ask_kernel("cudaFuncSetCacheConfig", handle, [](Runtime&, Kernel&) {});
}

cudaError_t cudaFuncSetSharedMemConfig(const void* handle, cudaSharedMemConfig) {
  return ask_kernel("cudaFuncSetSharedMemConfig", handle, [](Runtime&, Kernel&) {});
}

#if CUDART_VERSION >= 12030
cudaError_t cudaFuncGetName(const char** name, const void* handle) {
  return ask_kernel("cudaFuncGetName", handle, [&](Runtime&, Kernel& kernel) {
    require(name != nullptr);
    *name = kernel.name.c_str();
  });
}
#endif

#if CUDART_VERSION >= 12040
cudaError_t cudaFuncGetParamInfo(const void* handle, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return ask_kernel("cudaFuncGetParamInfo", handle, [&](Runtime& runtime, Kernel& kernel) {
    const FunctionAttributes& attributes = attributes_of(runtime, kernel);
    require(offset != nullptr && index < attributes.parameter_bytes.size());
    *offset = attributes.parameter_offsets[index];
    if (bytes != nullptr) *bytes = attributes.parameter_bytes[index];
  });
}
#endif

#if CUDART_VERSION >= 12010
cudaError_t cudaGetKernel(cudaKernel_t* result, const void* handle) {
  return ask_kernel("cudaGetKernel", handle, [&](Runtime&, Kernel& kernel) {
    require(result != nullptr);
    *result = reinterpret_cast<cudaKernel_t>(&kernel);
  });
}
#endif

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* result, const void* handle) {
  return ask_kernel("cudaGetFuncBySymbol", handle, [&](Runtime&, Kernel& kernel) {
    require(result != nullptr);
    *result = reinterpret_cast<cudaFunction_t>(&kernel);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* handle,
                                                          int threads, std::size_t dynamic_bytes) {
  return max_active_blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, handle, threads,
                           dynamic_bytes);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle,
                                                                   int threads,
                                                                   std::size_t dynamic_bytes,
                                                                   unsigned) {
  return max_active_blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, handle, threads,
                           dynamic_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* handle,
                                                      int blocks, int threads) {
  return ask_kernel(
      "cudaOccupancyAvailableDynamicSMemPerBlock", handle, [&](Runtime& runtime, Kernel& kernel) {
        require(bytes != nullptr && blocks > 0 && threads > 0);
        const DeviceProperties& device = runtime.device().properties();
        const std::size_t used = attributes_of(runtime, kernel).static_shared_bytes;
        std::size_t share =
            device.shared_per_multiprocessor / static_cast<unsigned>(blocks) / 128 * 128;
        share -= std::min<std::size_t>(share, device.major >= 8 ? 1024 : 0);
        share = std::min(share, device.shared_per_block_optin);
        *bytes = share - std::min(share, used);
      });
}

}  // extern "C"
