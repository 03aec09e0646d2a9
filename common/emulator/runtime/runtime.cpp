#include "common/emulator/runtime/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

#include "common/emulator/runtime/device_table.hpp"
#include "common/emulator/runtime/host_fault.hpp"
#include "common/emulator/runtime/unsupported.hpp"

namespace ladder::emulator {
namespace {

// Where the runtime was made, by the first registration or call; 0: nowhere.
pid_t process_using_cuda = 0;
int exit_status = 0;

// The last error of each host thread; a device's sticky error is kept by the runtime.
thread_local cudaError_t thread_error = cudaSuccess;

// Where the work that the calling thread does was submitted.
thread_local cudaStream_t stream_of_work = nullptr;

class StreamOfWork {
 public:
  explicit StreamOfWork(cudaStream_t stream) : outer_(std::exchange(stream_of_work, stream)) {}
  ~StreamOfWork() { stream_of_work = outer_; }
  StreamOfWork(const StreamOfWork&) = delete;

 private:
  cudaStream_t outer_;
};

// A GPU's printf buffer is shown at the next synchronisation; so is ours, or when it is this large.
constexpr std::size_t output_buffer_bytes = 1 << 20;

double environment_number(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::strtod(value, nullptr);
}

TraceLimits trace_limits(Journal& journal) {
  TraceLimits limits;
  if (const char* blocks = std::getenv("LADDER_EMULATOR_TRACE_BLOCKS");
      blocks != nullptr && !set_traced_blocks(limits, blocks)) {
    journal.say("LADDER_EMULATOR_TRACE_BLOCKS is '" + std::string(blocks) +
                "', neither the number of a block, as in 3, nor a range, as in 0-3: "
                "block 0 is traced");
  }
  const char* const accesses_name = "LADDER_EMULATOR_TRACE_LIMIT";
  if (const char* accesses = std::getenv(accesses_name); accesses != nullptr) {
    const double number = environment_number(accesses_name);
    const bool is_limit = number >= 1 && number <= 1e15;
    if (is_limit) limits.accesses = static_cast<std::uint64_t>(number);
    if (!is_limit) {
      journal.say(std::string(accesses_name) + " is '" + accesses +
                  "', not a number of accesses: " + std::to_string(limits.accesses) + " are kept");
    }
  }
  return limits;
}

cudaError_t code_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::none:
      return cudaSuccess;
    case FaultKind::invalid_ptx:
      return cudaErrorInvalidPtx;
    case FaultKind::out_of_memory:
      return cudaErrorMemoryAllocation;
    case FaultKind::invalid_address:
      return cudaErrorInvalidValue;
    case FaultKind::invalid_launch:
      return cudaErrorInvalidConfiguration;
    case FaultKind::illegal_address:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned_address:
      return cudaErrorMisalignedAddress;
    case FaultKind::assertion:
      return cudaErrorAssert;
    case FaultKind::trap:
    case FaultKind::deadlock:
      return cudaErrorLaunchFailure;
    case FaultKind::timeout:
      return cudaErrorLaunchTimeout;
    case FaultKind::unsupported:
      return cudaErrorNotSupported;
    case FaultKind::race:  // these let the kernel go on
    case FaultKind::uninitialized:
    case FaultKind::divergent_sync:
      return cudaSuccess;
  }
  return cudaErrorUnknown;
}

bool happened_in_kernel(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
    case FaultKind::misaligned_address:
    case FaultKind::assertion:
    case FaultKind::trap:
    case FaultKind::deadlock:
    case FaultKind::timeout:
      return true;
    default:
      return false;
  }
}

// What a call returns when LADDER_EMULATOR_FAIL picks it: what that call would plausibly return.
cudaError_t injected_code(std::string_view function) {
  const auto contains = [&](std::string_view part) {
    return function.find(part) != std::string_view::npos;
  };
  if (contains("Malloc") || contains("HostAlloc")) return cudaErrorMemoryAllocation;
  if (contains("Launch")) return cudaErrorLaunchOutOfResources;
  if (contains("Synchronize")) return cudaErrorLaunchFailure;
  if (contains("Memcpy") || contains("Memset") || contains("Free")) return cudaErrorInvalidValue;
  return cudaErrorUnknown;
}

}  // namespace

std::string hexadecimal(DeviceAddress address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

Runtime& Runtime::instance() {
  // Never destroyed: static objects of the program outlive this library's own.
  union Storage {
    Storage() : runtime() {}
    ~Storage() {}
    Runtime runtime;
  };
  static Storage storage;
  return storage.runtime;
}

Runtime::Runtime() : running(mutex) {
  process_using_cuda = getpid();
  on_exit([](int status, void*) { exit_status = status; }, nullptr);
  options.threads = static_cast<int>(environment_number("LADDER_EMULATOR_THREADS"));
  options.time_limit_s = environment_number("LADDER_EMULATOR_TIME_LIMIT");
  if (const char* names = std::getenv("LADDER_EMULATOR_WATCH"); names != nullptr) {
    const std::optional<Watch> watch = parse_watch(names);
    if (watch) options.watch = *watch;
    if (!watch) {
      journal.say("LADDER_EMULATOR_WATCH is '" + std::string(names) +
                  "', which names something else than " + known_watch_names() +
                  ": only memcheck is on");
    }
  }
  if (!journal.report_file().empty()) options.watch |= watch_counters;
  if (!journal.trace_file().empty()) options.watch |= watch_trace;
  options.trace = trace_limits(journal);
  options.order_seed = static_cast<std::uint64_t>(environment_number("LADDER_EMULATOR_ORDER_SEED"));
}

Device& Runtime::device() {
  if (!device_) make_device();
  return *device_;
}

void Runtime::make_device() {
  DeviceProperties properties;
  const char* name = std::getenv("LADDER_EMULATOR_DEVICE");
  if (name != nullptr && *name != '\0') {
    try {
      properties = device_named(name);
    } catch (const std::invalid_argument& error) {
      throw ApiError(cudaErrorNoDevice, error.what());
    }
  }
  device_ = std::make_unique<Device>(properties, options);
  device_->set_output([this](std::string_view text) {
    {
      const std::lock_guard lock(output_mutex_);
      output_ += text;
      if (output_.size() < output_buffer_bytes) return;
    }
    flush_output();
  });
  watch_host_accesses(*device_);
}

std::optional<cudaError_t> Runtime::enter(const char* function, Effect effect) {
  injected_ = journal.count_call(function) ? injected_code(function) : cudaSuccess;
  if (effect == Effect::synchronizing || effect == Effect::release) {
    if (pending_ != cudaSuccess) sticky_ = std::exchange(pending_, cudaSuccess);
    flush_output();
  }
  if (effect == Effect::release) return std::nullopt;
  if (injected_ != cudaSuccess) return thread_error = injected_;
  if (effect != Effect::query && sticky_ != cudaSuccess) return thread_error = sticky_;
  return std::nullopt;
}

cudaError_t Runtime::leave(Effect effect, cudaError_t result) {
  // A kernel that this call waited for may have failed.
  if ((effect == Effect::synchronizing || effect == Effect::release) && pending_ != cudaSuccess) {
    sticky_ = std::exchange(pending_, cudaSuccess);
    if (result == cudaSuccess) result = sticky_;
  }
  if (effect == Effect::release) {
    if (injected_ != cudaSuccess) result = injected_;
    if (sticky_ != cudaSuccess) result = sticky_;
  }
  if (result != cudaSuccess) thread_error = result;
  return result;
}

cudaError_t Runtime::current_exception_code(const char* function) {
  try {
    throw;
  } catch (const ApiError& error) {
    if (*error.what() != '\0') journal.say(std::string(function) + ": " + error.what());
    return error.code();
  } catch (const Fault& fault) {
    // Running out of memory is an answer, not a mistake.
    if (fault.kind() != FaultKind::out_of_memory) journal.record_fault(fault.what());
    return code_of(fault.kind());
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    journal.say(std::string(function) + ": " + error.what());
    return cudaErrorUnknown;
  }
}

void Runtime::submit(cudaStream_t handle, cudaGraphNodeType type, Work work) {
  if (streams.find(handle).capture == nullptr) wait_for_stream(handle);
  Stream& stream = streams.find(handle);
  if (stream.capture != nullptr) {
    require(!stream.capture->invalid, cudaErrorStreamCaptureInvalidated);
    stream.frontier = {stream.capture->graph->add(type, std::move(work), stream.frontier)};
  } else if (handle != cudaStreamPerThread && Streams::is_default(handle) &&
             streams.capture_blocks_default()) {
    throw ApiError(cudaErrorStreamCaptureImplicit,
                   "the default stream would have to wait for a stream that is capturing a graph:"
                   " use the capturing stream for this work");
  } else {
    const StreamOfWork scope(handle);
    work(*this);
  }
}

std::vector<std::shared_ptr<RunningKernels::Kernel>> Runtime::unfinished(cudaStream_t handle) {
  auto kernels = running.before(handle, streams.find(handle).blocking());
  for (Stream* const stream : streams.ordered_with(handle)) {
    std::erase_if(stream->waits_for, [](const auto& kernel) { return kernel->done; });
    kernels.insert(kernels.end(), stream->waits_for.begin(), stream->waits_for.end());
  }
  return kernels;
}

void Runtime::wait_for_stream(cudaStream_t handle) {
  for (auto kernels = unfinished(handle); !kernels.empty(); kernels = unfinished(handle))
    running.wait_for(*kernels.front());
}

namespace {

std::exception_ptr error_of(Device& device, const Launch& launch) {
  try {
    device.launch(launch);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

void Runtime::run_kernel(const Launch& launch, const std::string& kernel) {
  if (faulted()) return;
  Device& own = device();
  const bool may_wait = own.attributes(launch.function).may_wait;
  const bool blocking = streams.find(stream_of_work).blocking();
  const auto state = running.begin({kernel, stream_of_work, blocking});
  if (may_wait) return run_in_a_thread(launch, state);
  Launch told = launch;
  told.nobody_else = [this](int threads) { return waits_for_nobody(threads); };
  mutex.unlock();
  const std::exception_ptr error = error_of(own, told);
  mutex.lock();
  running.end(*state);
  note_end_of_kernel(kernel, error, true);
}

// Whether the program has no thread that could end what a kernel waits for.
bool Runtime::waits_for_nobody(int threads) {
  const std::lock_guard lock(mutex);
  return running.keeps_everybody_waiting(threads);
}

// Returns when the kernel is done or waits for somebody else.
void Runtime::run_in_a_thread(const Launch& launch,
                              const std::shared_ptr<RunningKernels::Kernel>& state) {
  // The kernel may outlive this call: it owns what it needs.
  struct Errand {
    Launch launch;
    std::vector<std::byte> parameters;
    std::exception_ptr refusal;
  };
  const auto errand = std::make_shared<Errand>();
  errand->parameters.assign(launch.parameters.begin(), launch.parameters.end());
  errand->launch = launch;
  errand->launch.parameters = errand->parameters;
  errand->launch.nobody_else = [this](int threads) { return waits_for_nobody(threads); };
  errand->launch.when_stalled = [this, state] {
    const std::lock_guard lock(mutex);
    running.stalls(*state);
  };
  const auto run = [this, state, errand] {
    const std::exception_ptr error = error_of(*device_, errand->launch);
    const std::lock_guard lock(mutex);
    try {
      note_end_of_kernel(state->name, error, !state->stalled);
    } catch (...) {
      errand->refusal = std::current_exception();
    }
    running.end(*state);
  };
  try {
    std::thread(run).detach();
  } catch (const std::system_error&) {  // no more threads to be had
    mutex.unlock();
    run();
    mutex.lock();
  }
  running.wait_for_launch(*state);
  if (state->done && errand->refusal) std::rethrow_exception(errand->refusal);
}

void Runtime::record_findings() {
  for (const Finding& finding : device().take_findings()) {
    journal.record_fault(finding.text());
    kernels_went_wrong_ = true;
  }
}

// Keeps a kernel's fault for the next call that asks; `waited_for`: throws what is no fault of the
// kernel but of its launch.
void Runtime::note_end_of_kernel(const std::string& kernel, std::exception_ptr error,
                                 bool waited_for) {
  if (!error) return record_findings();
  try {
    std::rethrow_exception(error);
  } catch (const Fault& fault) {
    const bool in_kernel = happened_in_kernel(fault.kind());
    if (!in_kernel && waited_for) throw;
    if (in_kernel) record_findings();
    journal.record_fault(fault.what());
    kernels_went_wrong_ = true;
    pending_ = code_of(fault.kind());
  } catch (const std::bad_alloc&) {
    if (waited_for)
      throw ApiError(cudaErrorLaunchOutOfResources,
                     "out of host memory while emulating kernel " + kernel);
    pending_ = cudaErrorLaunchOutOfResources;
  }
}

void Runtime::run_callback(const std::function<void()>& callback) {
  flush_output();
  mutex.unlock();
  callback();
  mutex.lock();
}

void Runtime::flush_output() {
  const std::lock_guard lock(output_mutex_);
  if (output_.empty()) return;
  std::fwrite(output_.data(), 1, output_.size(), stdout);
  output_.clear();
}

void Runtime::reset_device() {
  running.wait_for_all();
  pending_ = sticky_ = cudaSuccess;
  streams.clear();
  if (!device_) return;
  modules.unload_all(*device_);
  host_memory.release_all(*device_);
  for (const Device::Allocation& allocation : device_->allocations())
    device_->free(allocation.address);
}

std::vector<Device::Allocation> Runtime::leaks() {
  if (!device_) return {};
  std::vector<Device::Allocation> result = device_->allocations();
  const std::vector<Device::Allocation> host = host_memory.blocks();
  result.insert(result.end(), host.begin(), host.end());
  return result;
}

const char* Runtime::fault() const {
  return journal.faults().empty() ? nullptr : journal.faults().front().c_str();
}

void Runtime::note_failure(const char* function, cudaError_t result) {
  if (!failed_call_.empty() && !failure_was_read_) return;
  failure_was_read_ = false;
  failed_call_ =
      std::string(function) + ": " + cudaGetErrorName(result) + ": " + cudaGetErrorString(result);
}

const char* Runtime::failed_call() const {
  return failed_call_.empty() ? nullptr : failed_call_.c_str();
}

void Runtime::forget_faults() {
  journal.forget_faults();
  failed_call_.clear();
  pending_ = sticky_ = cudaSuccess;
  thread_error = cudaSuccess;
}

void Runtime::note_leaks() {
  const std::vector<Device::Allocation> left = leaks();
  if (left.empty()) return;
  std::string list;
  std::size_t bytes = 0, listed = 0;
  for (const Device::Allocation& leak : left) {
    bytes += leak.bytes;
    if (++listed > 4) continue;
    list += "\n  " + std::to_string(leak.bytes) + " bytes by " + leak.what;
  }
  if (listed > 4) list += "\n  and " + std::to_string(listed - 4) + " more";
  journal.say("leak: the program ended without freeing " + std::to_string(bytes) + " bytes in " +
              std::to_string(left.size()) + (left.size() == 1 ? " allocation:" : " allocations:") +
              list + "\n  help: each cudaMalloc needs its cudaFree");
}

void Runtime::finish() {
  if (running.any())
    journal.say("the program ended while kernel " + running.first_name() +
                " was still running: end with cudaDeviceSynchronize()");
  if (!output_.empty())
    journal.say("the program ended before " + std::to_string(output_.size()) +
                " bytes of device printf output were shown: end with cudaDeviceSynchronize()");
  if (journal.faults().empty()) note_leaks();
  if (!journal.report_file().empty())
    journal.write_report(device_ ? device_->counters() : Counters{}, leaks(),
                         device_ ? device_->launch_records() : std::vector<LaunchRecord>{});
  if (!journal.trace_file().empty()) journal.write_trace(device_ ? device_->trace() : Trace{});
}

cudaError_t Runtime::last_error(bool clear) {
  const cudaError_t result = sticky_ != cudaSuccess ? sticky_ : thread_error;
  if (clear) {
    thread_error = cudaSuccess;
    failure_was_read_ = true;
  }
  return result;
}

int unsupported(const char* function) {
  return Runtime::call(function, Effect::query, [&](Runtime&) {
    throw ApiError(cudaErrorNotSupported, "not supported by the emulator");
  });
}

namespace {
// After the program's own exit handlers: this library is finalised after those that use it.
// A process that never called CUDA, or a forked child, has nothing to report.
__attribute__((destructor)) void at_exit() {
  if (process_using_cuda != getpid()) return;
  Runtime& runtime = Runtime::instance();
  runtime.finish();
  const int code = static_cast<int>(environment_number("LADDER_EMULATOR_FAULT_EXIT"));
  if (code == 0 || exit_status != 0 || !runtime.kernels_went_wrong()) return;
  std::fflush(nullptr);
  _exit(code);
}
}  // namespace

}  // namespace ladder::emulator
