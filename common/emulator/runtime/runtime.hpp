// The state behind the CUDA runtime API, and the frame that every API function runs in.
//
// Everything is executed at the call: streams are idle and events complete, but for kernels that
// wait for the host or for another kernel (running_kernels.hpp). Any order that the program may
// observe is one that a GPU could have produced. What stays asynchronous is the *report* of a
// kernel's fault: the launch succeeds, the fault arrives at the next synchronising call and sticks,
// as on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/emulator/device.hpp"
#include "common/emulator/runtime/host_memory.hpp"
#include "common/emulator/runtime/journal.hpp"
#include "common/emulator/runtime/modules.hpp"
#include "common/emulator/runtime/running_kernels.hpp"
#include "common/emulator/runtime/streams.hpp"

namespace ladder::emulator {

// Ends an API function with an error code; the message, if any, is shown to the user.
class ApiError : public std::runtime_error {
 public:
  explicit ApiError(cudaError_t code, const std::string& message = "")
      : std::runtime_error(message), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// How an API function meets an earlier kernel's fault, or a failure that was asked for.
enum class Effect {
  query,          // does not care: succeeds after a fault
  asynchronous,   // fails once the fault is known
  synchronizing,  // learns of the fault
  release,        // as synchronizing, but gives its resource back in any case
};

class Runtime {
 public:
  static Runtime& instance();  // made at first use, never destroyed: exit handlers still call

  Device& device();  // made at first use
  Device* device_if_made() { return device_.get(); }

  // Runs body(runtime) as the API function `function`: locked, counted, exceptions as error codes.
  template <class Body>
  static cudaError_t call(const char* function, Effect effect, Body body) noexcept;

  // Runs kernels' and copies' work now, or adds it to the graph that the stream captures.
  void submit(cudaStream_t stream, cudaGraphNodeType type, Work work);
  // The lock is given up while the kernel runs.
  void run_kernel(const Launch& launch, const std::string& kernel);
  // The kernels that run in the stream, and those that the stream's next work must wait for.
  std::vector<std::shared_ptr<RunningKernels::Kernel>> unfinished(cudaStream_t stream);
  void wait_for_stream(cudaStream_t stream);
  // Runs `callback` of the program without our lock: it may wait for threads that call CUDA.
  void run_callback(const std::function<void()>& callback);
  // Throws when work must not run: an earlier kernel failed.
  bool faulted() const { return pending_ != cudaSuccess || sticky_ != cudaSuccess; }

  void flush_output();  // shows what kernels printed
  void reset_device();
  // Live allocations of the program, device and host.
  std::vector<Device::Allocation> leaks();
  void note_leaks();  // says so

  // control.hpp
  const char* fault() const;
  const char* failed_call() const;
  // Whether, since the start, a kernel faulted or an observer found something.
  bool kernels_went_wrong() const { return kernels_went_wrong_; }
  void forget_faults();
  void record_findings();  // of observers, so far
  void finish();           // at exit: report, lost output

  Options options;  // of the device to be made
  Journal journal;
  Modules modules;
  HostMemory host_memory;
  Streams streams;
  std::mutex mutex;
  RunningKernels running;

  // The calling thread's last error; cudaGetLastError clears it unless it sticks.
  cudaError_t last_error(bool clear);
  unsigned device_flags = 0;

 private:
  Runtime();
  // Before the body: a code to return instead of running it.
  std::optional<cudaError_t> enter(const char* function, Effect effect);
  cudaError_t leave(Effect effect, cudaError_t result);
  cudaError_t current_exception_code(const char* function);
  void note_failure(const char* function, cudaError_t result);
  bool waits_for_nobody(int threads);
  void run_in_a_thread(const Launch& launch, const std::shared_ptr<RunningKernels::Kernel>& state);
  void note_end_of_kernel(const std::string& kernel, std::exception_ptr error, bool waited_for);
  void make_device();

  std::unique_ptr<Device> device_;
  bool failure_was_read_ = false;
  std::string failed_call_;             // the first, until it is forgotten
  std::mutex output_mutex_;             // kernels print from several threads
  std::string output_;                  // printed by kernels, not shown yet
  cudaError_t pending_ = cudaSuccess;   // a fault that no call has reported yet
  cudaError_t sticky_ = cudaSuccess;    // reported: every call fails with it
  cudaError_t injected_ = cudaSuccess;  // by LADDER_EMULATOR_FAIL, for the call that is running
  bool kernels_went_wrong_ = false;
};

template <class Body>
cudaError_t Runtime::call(const char* function, Effect effect, Body body) noexcept {
  Runtime& runtime = instance();
  const std::lock_guard lock(runtime.mutex);
  if (const std::optional<cudaError_t> early = runtime.enter(function, effect)) return *early;
  try {
    body(runtime);
    return runtime.leave(effect, cudaSuccess);
  } catch (...) {
    const cudaError_t result = runtime.current_exception_code(function);
    if (result != cudaErrorNotReady) runtime.note_failure(function, result);
    return runtime.leave(effect, result);
  }
}

// cudaErrorInvalidValue unless `condition`.
inline void require(bool condition, cudaError_t code = cudaErrorInvalidValue) {
  if (!condition) throw ApiError(code);
}

inline DeviceAddress address_of(const void* pointer) {
  return reinterpret_cast<DeviceAddress>(pointer);
}
inline void* pointer_to(DeviceAddress address) {
  return reinterpret_cast<void*>(address);
}
std::string hexadecimal(DeviceAddress address);

}  // namespace ladder::emulator
