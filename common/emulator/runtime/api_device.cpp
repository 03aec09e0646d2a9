// Devices: there is one, number 0; its properties, attributes, limits.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::DeviceProperties;
using ladder::emulator::Effect;
using ladder::emulator::require;
using ladder::emulator::Runtime;

namespace {

constexpr int warp_size = 32, copy_engines = 3;
constexpr std::size_t max_pitch = 0x7fffffff, texture_alignment = 512;
constexpr const char* pci_bus_id = "0000:00:00.0";

void require_device(int device) {
  require(device == 0, cudaErrorInvalidDevice);
}

// One PCI bus width and clock for all: nothing is timed by them. What textures, surfaces and
// graphics could do is 0, because they are not supported.
constexpr int memory_bus_bits = 6144;

int narrowed(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, 0x7fffffff));
}

// The value of an attribute, or nothing for one that does not exist.
int attribute_value(const DeviceProperties& p, cudaDeviceAttr attribute) {
  // By number: toolkit 12.0 does not name these two.
  constexpr int numa_id = 131, host_numa_id = 134;
  if (attribute == numa_id || attribute == host_numa_id) return -1;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.max_threads_per_block;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      return p.max_block[attribute - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return static_cast<int>(p.max_grid[attribute - cudaDevAttrMaxGridDimX]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return narrowed(p.shared_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return narrowed(p.shared_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return narrowed(p.shared_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return p.major >= 8 ? 1024 : 0;
    case cudaDevAttrTotalConstantMemory:
      return narrowed(p.constant_bytes);
    case cudaDevAttrWarpSize:
      return warp_size;
    case cudaDevAttrMaxPitch:
      return narrowed(max_pitch);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return p.registers_per_block;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return narrowed(texture_alignment);
    case cudaDevAttrTexturePitchAlignment:
      return warp_size;
    case cudaDevAttrMultiProcessorCount:
      return p.multiprocessors;
    case cudaDevAttrL2CacheSize:
      return narrowed(p.l2_bytes);
    case cudaDevAttrGlobalMemoryBusWidth:
      return memory_bus_bits;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.max_threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.max_blocks_per_multiprocessor;
    case cudaDevAttrAsyncEngineCount:
      return copy_engines;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return p.major == 9 || (p.major == 8 && p.minor == 0) ? 2 : 32;
    case cudaDevAttrMemSyncDomainCount:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      return 0;
  }
}

void fill(const DeviceProperties& p, cudaDeviceProp& out) {
  const auto value = [&](cudaDeviceAttr attribute) { return attribute_value(p, attribute); };
  out = {};
  std::snprintf(out.name, sizeof out.name, "%s", p.name.c_str());
  std::memcpy(out.uuid.bytes, "ladder emulator", sizeof out.uuid.bytes);
  out.totalGlobalMem = p.memory_bytes;
  out.sharedMemPerBlock = p.shared_per_block;
  out.sharedMemPerBlockOptin = p.shared_per_block_optin;
  out.sharedMemPerMultiprocessor = p.shared_per_multiprocessor;
  out.reservedSharedMemPerBlock =
      static_cast<std::size_t>(value(cudaDevAttrReservedSharedMemoryPerBlock));
  out.regsPerBlock = out.regsPerMultiprocessor = p.registers_per_block;
  out.warpSize = warp_size;
  out.memPitch = max_pitch;
  out.maxThreadsPerBlock = p.max_threads_per_block;
  for (int i = 0; i < 3; ++i) {
    out.maxThreadsDim[i] = p.max_block[i];
    out.maxGridSize[i] = static_cast<int>(p.max_grid[i]);
  }
  out.totalConstMem = p.constant_bytes;
  out.major = p.major;
  out.minor = p.minor;
  out.textureAlignment = out.surfaceAlignment = texture_alignment;
  out.texturePitchAlignment = warp_size;
  out.multiProcessorCount = p.multiprocessors;
  out.canMapHostMemory = out.concurrentKernels = out.unifiedAddressing = 1;
  out.asyncEngineCount = copy_engines;
  out.memoryBusWidth = memory_bus_bits;
  out.l2CacheSize = narrowed(p.l2_bytes);
  out.maxThreadsPerMultiProcessor = p.max_threads_per_multiprocessor;
  out.maxBlocksPerMultiProcessor = p.max_blocks_per_multiprocessor;
  out.streamPrioritiesSupported = out.globalL1CacheSupported = out.localL1CacheSupported = 1;
  out.managedMemory = out.concurrentManagedAccess = 1;
  out.canUseHostPointerForRegisteredMem = out.hostRegisterSupported = 1;
  out.hostRegisterReadOnlySupported = out.memoryPoolsSupported = 1;
  out.cooperativeLaunch = 1;
#if CUDART_VERSION < 13000
  out.deviceOverlap = 1;
  out.singleToDoublePrecisionPerfRatio = value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
}

// Limits that programs set before they use printf or recursion: remembered. The heap's binds; a
// stack is never smaller than the emulator's own.
std::map<cudaLimit, std::size_t>& limits() {
  static std::map<cudaLimit, std::size_t> values = {
      {cudaLimitStackSize, 1024},
      {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
      {cudaLimitMallocHeapSize, std::size_t{8} << 20},
      {cudaLimitDevRuntimeSyncDepth, 2},
      {cudaLimitDevRuntimePendingLaunchCount, 2048},
      {cudaLimitMaxL2FetchGranularity, 64},
      {cudaLimitPersistingL2CacheSize, 0},
  };
  return values;
}

template <class Body>
cudaError_t query(const char* function, Body body) {
  return Runtime::call(function, Effect::query, body);
}

cudaError_t accepted(const char* function) {
  return query(function, [](Runtime&) {});
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return query("cudaGetDeviceCount", [&](Runtime&) {
    require(count != nullptr);
    *count = 1;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return query("cudaGetDevice", [&](Runtime&) {
    require(device != nullptr);
    *device = 0;
  });
}

cudaError_t cudaSetDevice(int device) {
  return query("cudaSetDevice", [&](Runtime& runtime) {
    require_device(device);
    runtime.device();
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return query("cudaInitDevice", [&](Runtime& runtime) {
    require_device(device);
    runtime.device();
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return query("cudaSetValidDevices", [&](Runtime&) {
    require(devices != nullptr || count == 0);
    for (int i = 0; i < count; ++i) require_device(devices[i]);
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return query("cudaChooseDevice", [&](Runtime&) {
    require(device != nullptr && wanted != nullptr);
    *device = 0;
  });
}

// Named cudaGetDeviceProperties_v2 by toolkit 12's header.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return query("cudaGetDeviceProperties", [&](Runtime& runtime) {
    require(properties != nullptr);
    require_device(device);
    fill(runtime.device().properties(), *properties);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return query("cudaDeviceGetAttribute", [&](Runtime& runtime) {
    require(value != nullptr);
    require_device(device);
    require(attribute >= cudaDevAttrMaxThreadsPerBlock && attribute < 160);
    *value = attribute_value(runtime.device().properties(), attribute);
  });
}

cudaError_t cudaDeviceReset() {
  return Runtime::call("cudaDeviceReset", Effect::release,
                       [](Runtime& runtime) { runtime.reset_device(); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return query("cudaSetDeviceFlags", [&](Runtime& runtime) {
    require((flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0);
    runtime.device_flags = flags;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return query("cudaGetDeviceFlags", [&](Runtime& runtime) {
    require(flags != nullptr);
    *flags = runtime.device_flags | cudaDeviceMapHost;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return query("cudaDeviceSetLimit", [&](Runtime& runtime) {
    const auto entry = limits().find(limit);
    require(entry != limits().end(), cudaErrorUnsupportedLimit);
    entry->second = value;
    ladder::emulator::Options& options = runtime.device().options();
    if (limit == cudaLimitMallocHeapSize) options.heap_bytes = value;
    if (limit == cudaLimitStackSize) {
      constexpr std::size_t most = 512 << 10;  // a thread's local memory on every device
      options.stack_bytes = std::clamp(value, ladder::emulator::Options{}.stack_bytes, most);
    }
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return query("cudaDeviceGetLimit", [&](Runtime&) {
    require(value != nullptr);
    const auto entry = limits().find(limit);
    require(entry != limits().end(), cudaErrorUnsupportedLimit);
    *value = entry->second;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return query("cudaDeviceGetPCIBusId", [&](Runtime&) {
    require_device(device);
    require(text != nullptr && bytes > static_cast<int>(std::strlen(pci_bus_id)));
    std::strcpy(text, pci_bus_id);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return query("cudaDeviceGetByPCIBusId", [&](Runtime&) {
    require(device != nullptr && text != nullptr);
    require(std::strcmp(text, pci_bus_id) == 0, cudaErrorInvalidDevice);
    *device = 0;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return query("cudaDeviceCanAccessPeer", [&](Runtime&) {
    require(can != nullptr);
    require_device(device);
    require_device(peer);
    *can = 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return query("cudaDeviceEnablePeerAccess",
               [](Runtime&) { throw ApiError(cudaErrorInvalidDevice); });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return query("cudaDeviceDisablePeerAccess",
               [](Runtime&) { throw ApiError(cudaErrorInvalidDevice); });
}

// Hints about caches and profilers: there are none to configure.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return accepted("cudaCtxResetPersistingL2Cache");
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return accepted("cudaDeviceSetCacheConfig");
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return accepted("cudaDeviceSetSharedMemConfig");
}
cudaError_t cudaProfilerStart() {
  return accepted("cudaProfilerStart");
}
cudaError_t cudaProfilerStop() {
  return accepted("cudaProfilerStop");
}

// Describes an element for arrays and textures, which are not supported themselves.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// The driver's functions are not emulated: none is found.
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return query("cudaGetDriverEntryPoint", [&](Runtime&) {
    if (function != nullptr) *function = nullptr;
    if (result != nullptr) *result = cudaDriverEntryPointSymbolNotFound;
    throw ApiError(cudaErrorNotSupported, std::string("the driver API is not supported: ") +
                                              (name == nullptr ? "(no name)" : name));
  });
}
decltype(cudaGetDriverEntryPoint) cudaGetDriverEntryPoint_ptsz
    [[gnu::alias("cudaGetDriverEntryPoint")]];

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPoint(name, function, flags, result);
}
decltype(cudaGetDriverEntryPointByVersion) cudaGetDriverEntryPointByVersion_ptsz
    [[gnu::alias("cudaGetDriverEntryPointByVersion")]];
#endif

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return query("cudaDeviceGetCacheConfig", [&](Runtime&) {
    require(config != nullptr);
    *config = cudaFuncCachePreferNone;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return query("cudaDeviceGetSharedMemConfig", [&](Runtime&) {
    require(config != nullptr);
    *config = cudaSharedMemBankSizeFourByte;
  });
}

}  // extern "C"
