// Allocation: device, pinned, managed and pools; what a pointer is.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <set>

#include "common/emulator/runtime/graph_memory.hpp"
#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::address_of;
using ladder::emulator::ApiError;
using ladder::emulator::DeviceAddress;
using ladder::emulator::Effect;
using ladder::emulator::HostBlock;
using ladder::emulator::HostKind;
using ladder::emulator::pointer_to;
using ladder::emulator::require;
using ladder::emulator::Runtime;

namespace {

constexpr std::size_t pitch_alignment = 512;

// nullptr for 0 bytes, as on a GPU.
void* allocate(Runtime& runtime, std::size_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  return pointer_to(runtime.device().allocate(bytes, what));
}

void release(Runtime& runtime, void* pointer, const char* function) {
  if (pointer == nullptr) return;
  runtime.running.wait_for_all();
  if (ladder::emulator::release_graph_memory(pointer, function)) return;
  if (runtime.device().is_device_address(address_of(pointer))) {
    runtime.device().free(address_of(pointer));
    return;
  }
  if (runtime.host_memory.release(runtime.device(), pointer, HostKind::managed)) return;
  const HostBlock* block = runtime.host_memory.find(pointer);
  throw ladder::emulator::Fault(
      ladder::emulator::FaultKind::invalid_address,
      std::string(function) + " of " + ladder::emulator::hexadecimal(address_of(pointer)) +
          (block != nullptr && block->kind == HostKind::pinned
               ? ", which cudaMallocHost or cudaHostAlloc returned: use cudaFreeHost"
               : ", a host address: it frees what cudaMalloc returned, and nothing else"));
}

// In the order of a stream's work: at once, or in each launch of the graph that the stream captures.
void* allocate_in(cudaStream_t stream, Runtime& runtime, std::size_t bytes, const char* function) {
  if (runtime.streams.find(stream).capture == nullptr) return allocate(runtime, bytes, function);
  void* pointer = nullptr;
  runtime.submit(stream, cudaGraphNodeTypeMemAlloc,
                 ladder::emulator::work_of_allocation(runtime, bytes, function, pointer));
  return pointer;
}

void release_in(cudaStream_t stream, Runtime& runtime, void* pointer, const char* function) {
  if (runtime.streams.find(stream).capture == nullptr) return release(runtime, pointer, function);
  runtime.submit(stream, cudaGraphNodeTypeMemFree, ladder::emulator::work_of_release(pointer));
}

cudaError_t host_allocate(const char* function, void** pointer, std::size_t bytes, unsigned flags) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr);
    *pointer = bytes == 0
                   ? nullptr
                   : runtime.host_memory.allocate(runtime.device(), bytes, HostKind::pinned, flags);
  });
}

cudaError_t pitched(const char* function, void** pointer, std::size_t* pitch, std::size_t width,
                    std::size_t rows) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr && pitch != nullptr);
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    *pointer = allocate(runtime, *pitch * rows, function);
  });
}

// A pool hands memory back at once, so its attributes are only remembered.
struct Pool {
  unsigned long long release_threshold = 0;
  int reuse[3] = {1, 1, 1};
};
Pool default_pool;
std::set<std::unique_ptr<Pool>> made_pools;  // guarded by Runtime::mutex
Pool* current_pool = &default_pool;

cudaMemPool_t handle_of(Pool& pool) {
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

auto find_made(cudaMemPool_t handle) {
  return std::find_if(made_pools.begin(), made_pools.end(),
                      [&](const auto& pool) { return handle_of(*pool) == handle; });
}

Pool& find_pool(cudaMemPool_t handle) {
  if (handle == handle_of(default_pool)) return default_pool;
  const auto made = find_made(handle);
  require(made != made_pools.end());
  return **made;
}

// Of cudaMemPool_t attributes.
int* reuse_attribute(Pool& pool, cudaMemPoolAttr attribute) {
  const int index = static_cast<int>(attribute) - cudaMemPoolReuseFollowEventDependencies;
  return index >= 0 && index < 3 ? &pool.reuse[index] : nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return Runtime::call("cudaMalloc", Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr);
    *pointer = allocate(runtime, bytes, "cudaMalloc");
  });
}

cudaError_t cudaFree(void* pointer) {
  return Runtime::call("cudaFree", Effect::release,
                       [&](Runtime& runtime) { release(runtime, pointer, "cudaFree"); });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return pitched("cudaMallocPitch", pointer, pitch, width, height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return pitched("cudaMalloc3D", &pointer->ptr, &pointer->pitch, extent.width,
                 extent.height * extent.depth);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return host_allocate("cudaMallocHost", pointer, bytes, 0);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return host_allocate("cudaHostAlloc", pointer, bytes, flags);
}

cudaError_t cudaFreeHost(void* pointer) {
  return Runtime::call("cudaFreeHost", Effect::release, [&](Runtime& runtime) {
    if (pointer == nullptr) return;
    runtime.running.wait_for_all();
    if (!runtime.host_memory.release(runtime.device(), pointer, HostKind::pinned))
      throw ApiError(cudaErrorInvalidValue,
                     "no cudaMallocHost or cudaHostAlloc returned this address");
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return Runtime::call("cudaHostRegister", Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr && bytes > 0);
    require(!runtime.device().is_device_address(address_of(pointer)));
    require(!runtime.host_memory.overlaps(pointer, bytes), cudaErrorHostMemoryAlreadyRegistered);
    runtime.host_memory.add_registered(runtime.device(), pointer, bytes, flags);
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return Runtime::call("cudaHostUnregister", Effect::release, [&](Runtime& runtime) {
    runtime.running.wait_for_all();
    require(runtime.host_memory.release(runtime.device(), pointer, HostKind::registered),
            cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  return Runtime::call("cudaHostGetDevicePointer", Effect::asynchronous, [&](Runtime& runtime) {
    require(device_pointer != nullptr);
    require(runtime.host_memory.find(host_pointer) != nullptr);
    *device_pointer = host_pointer;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return Runtime::call("cudaHostGetFlags", Effect::asynchronous, [&](Runtime& runtime) {
    const HostBlock* block = runtime.host_memory.find(pointer);
    require(flags != nullptr && block != nullptr);
    *flags = block->flags | cudaHostAllocMapped;
  });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return Runtime::call("cudaMallocManaged", Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr && bytes > 0);
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    *pointer = runtime.host_memory.allocate(runtime.device(), bytes, HostKind::managed, flags);
  });
}

// Managed memory is always where both sides reach it: advice and prefetches change nothing.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return Runtime::call("cudaStreamAttachMemAsync", Effect::asynchronous,
                       [&](Runtime& runtime) { runtime.streams.find(stream); });
}
decltype(cudaStreamAttachMemAsync) cudaStreamAttachMemAsync_ptsz
    [[gnu::alias("cudaStreamAttachMemAsync")]];

#if CUDART_VERSION >= 13000
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
#else
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
#endif
  return Runtime::call("cudaMemAdvise", Effect::asynchronous, [](Runtime&) {});
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t stream) {
#else
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t stream) {
#endif
  return Runtime::call("cudaMemPrefetchAsync", Effect::asynchronous,
                       [&](Runtime& runtime) { runtime.streams.find(stream); });
}
decltype(cudaMemPrefetchAsync) cudaMemPrefetchAsync_ptsz [[gnu::alias("cudaMemPrefetchAsync")]];

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return Runtime::call("cudaMallocAsync", Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr);
    *pointer = allocate_in(stream, runtime, bytes, "cudaMallocAsync");
  });
}
decltype(cudaMallocAsync) cudaMallocAsync_ptsz [[gnu::alias("cudaMallocAsync")]];

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return Runtime::call("cudaMallocFromPoolAsync", Effect::asynchronous, [&](Runtime& runtime) {
    require(pointer != nullptr);
    find_pool(pool);
    *pointer = allocate_in(stream, runtime, bytes, "cudaMallocFromPoolAsync");
  });
}
decltype(cudaMallocFromPoolAsync) cudaMallocFromPoolAsync_ptsz
    [[gnu::alias("cudaMallocFromPoolAsync")]];

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return Runtime::call("cudaFreeAsync", Effect::release, [&](Runtime& runtime) {
    release_in(stream, runtime, pointer, "cudaFreeAsync");
  });
}
decltype(cudaFreeAsync) cudaFreeAsync_ptsz [[gnu::alias("cudaFreeAsync")]];

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return Runtime::call("cudaMemPoolCreate", Effect::asynchronous, [&](Runtime&) {
    require(pool != nullptr && properties != nullptr);
    require(properties->allocType == cudaMemAllocationTypePinned);
    require(properties->location.type == cudaMemLocationTypeDevice && properties->location.id == 0);
    *pool = handle_of(**made_pools.insert(std::make_unique<Pool>()).first);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return Runtime::call("cudaMemPoolDestroy", Effect::release, [&](Runtime&) {
    const auto made = find_made(pool);
    require(made != made_pools.end());
    if (current_pool == made->get()) current_pool = &default_pool;
    made_pools.erase(made);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return Runtime::call("cudaDeviceGetDefaultMemPool", Effect::asynchronous, [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr);
    *pool = handle_of(default_pool);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return Runtime::call("cudaDeviceGetMemPool", Effect::asynchronous, [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr);
    *pool = handle_of(*current_pool);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return Runtime::call("cudaDeviceSetMemPool", Effect::asynchronous, [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    current_pool = &find_pool(pool);
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return Runtime::call("cudaMemPoolTrimTo", Effect::asynchronous,
                       [&](Runtime&) { find_pool(pool); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 std::size_t count) {
  return Runtime::call("cudaMemPoolSetAccess", Effect::asynchronous, [&](Runtime&) {
    find_pool(pool);
    require(access != nullptr || count == 0);  // there is one device, which has it
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return Runtime::call("cudaMemPoolSetAttribute", Effect::asynchronous, [&](Runtime&) {
    Pool& pool = find_pool(handle);
    require(value != nullptr);
    int* const reuse = reuse_attribute(pool, attribute);
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      pool.release_threshold = *static_cast<unsigned long long*>(value);
    else if (reuse != nullptr)
      *reuse = *static_cast<int*>(value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return Runtime::call("cudaMemPoolGetAttribute", Effect::asynchronous, [&](Runtime& runtime) {
    Pool& pool = find_pool(handle);
    require(value != nullptr);
    const int* const reuse = reuse_attribute(pool, attribute);
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      *static_cast<unsigned long long*>(value) = pool.release_threshold;
    else if (reuse != nullptr)
      *static_cast<int*>(value) = *reuse;
    else
      *static_cast<unsigned long long*>(value) = runtime.device().bytes_in_use();
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return Runtime::call("cudaMemGetInfo", Effect::asynchronous, [&](Runtime& runtime) {
    require(free_bytes != nullptr && total_bytes != nullptr);
    *total_bytes = runtime.device().properties().memory_bytes;
    *free_bytes = *total_bytes - std::min(*total_bytes, runtime.device().bytes_in_use());
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return Runtime::call("cudaPointerGetAttributes", Effect::asynchronous, [&](Runtime& runtime) {
    require(attributes != nullptr);
    *attributes = {};
    void* address = const_cast<void*>(pointer);
    const HostBlock* block = runtime.host_memory.find(pointer);
    if (runtime.device().is_device_address(address_of(pointer))) {
      require(runtime.device().find(address_of(pointer)) != nullptr);
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = address;
    } else if (block != nullptr) {
      attributes->type =
          block->kind == HostKind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
      attributes->devicePointer = attributes->hostPointer = address;
    } else {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = address;
    }
  });
}

}  // extern "C"
