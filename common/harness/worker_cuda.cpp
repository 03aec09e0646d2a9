#include "common/harness/worker_cuda.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace ladder::worker {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

bool Cuda::open(const char* path, std::string& error) {
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    error = dlerror();
    return false;
  }
  find(library, "cudaMalloc", malloc);
  find(library, "cudaFree", free);
  find(library, "cudaMemcpy", memcpy);
  find(library, "cudaMemset", memset);
  find(library, "cudaDeviceSynchronize", synchronize);
  find(library, "cudaGetLastError", get_last_error);
  find(library, "cudaPeekAtLastError", peek_at_last_error);
  find(library, "cudaGetErrorName", error_name);
  find(library, "cudaGetErrorString", error_string);
  find(library, "cudaSetDevice", set_device);
  find(library, "cudaDeviceGetAttribute", device_attribute);
  find(library, "cudaMemGetInfo", memory_info);
  find(library, "cudaGetDeviceProperties_v2", device_properties);
  if (device_properties == nullptr) find(library, "cudaGetDeviceProperties", device_properties);
  find(library, "cudaDriverGetVersion", driver_version);
  find(library, "cudaRuntimeGetVersion", runtime_version);
  find(library, "cudaMemcpyAsync", memcpy_async);
  find(library, "cudaMemsetAsync", memset_async);
  find(library, "cudaEventCreate", event_create);
  find(library, "cudaEventRecord", event_record);
  find(library, "cudaEventSynchronize", event_synchronize);
  find(library, "cudaEventElapsedTime", event_elapsed);
  find(library, "cudaCtxResetPersistingL2Cache", reset_persisting_l2);
  LadderEmulatorEntry entry = nullptr;
  find(library, "ladderEmulator", entry);
  if (entry != nullptr) emulator = entry();
  if (emulator != nullptr && emulator->version != LADDER_EMULATOR_VERSION) {
    error = std::string(path) + " is an emulator of another version (its control is " +
            std::to_string(emulator->version) + ", ours is " +
            std::to_string(LADDER_EMULATOR_VERSION) + "): build it from this tree, with ./ladder";
    emulator = nullptr;
    return false;
  }

  const struct {
    const char* name;
    bool found;
  } needed[] = {
      {"cudaMalloc", malloc != nullptr},
      {"cudaFree", free != nullptr},
      {"cudaMemcpy", memcpy != nullptr},
      {"cudaMemset", memset != nullptr},
      {"cudaDeviceSynchronize", synchronize != nullptr},
      {"cudaGetLastError", get_last_error != nullptr},
      {"cudaPeekAtLastError", peek_at_last_error != nullptr},
      {"cudaGetErrorName", error_name != nullptr},
      {"cudaGetErrorString", error_string != nullptr},
      {"cudaSetDevice", set_device != nullptr},
  };
  for (const auto& symbol : needed) {
    if (symbol.found) continue;
    error = std::string(path) + " is not a CUDA runtime: it has no " + symbol.name;
    return false;
  }
  return true;
}

std::string Cuda::describe(int error) const {
  return std::string(error_name(error)) + ": " + error_string(error);
}

protocol::Device Cuda::describe_device() const {
  constexpr int shared_optin = 97, l2_bytes = 38, major = 75, minor = 76;
  protocol::Device result{};
  result.emulated = emulator != nullptr;
  const auto attribute = [&](int which) {
    int value = 0;
    if (device_attribute != nullptr) device_attribute(&value, which, device);
    return value;
  };
  result.major = attribute(major);
  result.minor = attribute(minor);
  result.shared_optin_bytes = static_cast<std::uint64_t>(attribute(shared_optin));
  result.l2_bytes = static_cast<std::uint64_t>(attribute(l2_bytes));
  std::size_t free_bytes = 0, total_bytes = 0;
  if (memory_info != nullptr) memory_info(&free_bytes, &total_bytes);
  result.free_bytes = free_bytes;
  result.memory_bytes = total_bytes;
  if (driver_version != nullptr) driver_version(&result.driver);
  if (runtime_version != nullptr) runtime_version(&result.runtime);
  // cudaDeviceProp begins with the name and is about 1 KB in every toolkit so far.
  std::vector<char> properties(64 << 10, '\0');
  if (device_properties != nullptr && device_properties(properties.data(), device) == cuda_success)
    std::memcpy(result.name, properties.data(), sizeof result.name - 1);
  return result;
}

}  // namespace ladder::worker
