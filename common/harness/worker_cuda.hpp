// The CUDA runtime as the worker sees it: functions of a libcudart found at run time, the
// toolkit's or the emulator's. The worker is never linked with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/emulator/control.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder::worker {

// cudaError_t values that are told apart.
constexpr int cuda_success = 0;
constexpr int cuda_error_memory_allocation = 2;

using Event = void*;

struct Cuda {
  // Loads `path` for all later libraries to see (RTLD_GLOBAL). False: `error` says why.
  bool open(const char* path, std::string& error);

  int (*malloc)(void** pointer, std::size_t bytes) = nullptr;
  int (*free)(void* pointer) = nullptr;
  int (*memcpy)(void* to, const void* from, std::size_t bytes, int kind) = nullptr;
  int (*memset)(void* pointer, int value, std::size_t bytes) = nullptr;
  int (*synchronize)() = nullptr;
  int (*get_last_error)() = nullptr;
  int (*peek_at_last_error)() = nullptr;
  const char* (*error_name)(int error) = nullptr;
  const char* (*error_string)(int error) = nullptr;
  int (*set_device)(int device) = nullptr;

  // For timing only; null in a runtime that lacks them.
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  int (*device_properties)(void* properties, int device) = nullptr;
  int (*driver_version)(int* version) = nullptr;
  int (*runtime_version)(int* version) = nullptr;
  int (*memcpy_async)(void* to, const void* from, std::size_t bytes, int kind,
                      void* stream) = nullptr;
  int (*memset_async)(void* pointer, int value, std::size_t bytes, void* stream) = nullptr;
  int (*event_create)(Event* event) = nullptr;
  int (*event_record)(Event event, void* stream) = nullptr;
  int (*event_synchronize)(Event event) = nullptr;
  int (*event_elapsed)(float* milliseconds, Event start, Event stop) = nullptr;
  int (*reset_persisting_l2)() = nullptr;

  int device = 0;  // the one in use
  // Null unless the runtime is our emulator.
  const LadderEmulator* emulator = nullptr;

  // "cudaErrorInvalidValue: invalid argument"
  std::string describe(int error) const;
  protocol::Device describe_device() const;
};

constexpr int host_to_device = 1, device_to_host = 2, device_to_device = 3;

}  // namespace ladder::worker
