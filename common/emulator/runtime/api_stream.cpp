// Streams and events. Work is done at the call (see runtime.hpp): but for kernels that wait
// themselves a stream is idle, an event is complete once recorded, and waiting is checking for a
// kernel's fault. Times are the host's and say nothing about a GPU.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::Effect;
using ladder::emulator::Event;
using ladder::emulator::require;
using ladder::emulator::Runtime;
using ladder::emulator::Stream;
using ladder::emulator::Streams;

namespace {

constexpr int lowest_priority = 0, highest_priority = -5;

cudaError_t create_stream(const char* function, cudaStream_t* stream, unsigned flags,
                          int priority) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(stream != nullptr);
    require(flags == cudaStreamDefault || flags == cudaStreamNonBlocking);
    *stream =
        runtime.streams.create(flags, std::clamp(priority, highest_priority, lowest_priority));
  });
}

// A capturing stream has nothing to wait for: asking invalidates the capture.
void refuse_while_capturing(Stream& stream) {
  if (stream.capture == nullptr) return;
  stream.capture->invalid = true;
  throw ApiError(cudaErrorStreamCaptureUnsupported,
                 "a stream that captures a graph cannot be waited for or queried");
}

void wait_for_kernels(Runtime& runtime, cudaStream_t handle) {
  refuse_while_capturing(runtime.streams.find(handle));
  runtime.wait_for_stream(handle);
  runtime.flush_output();
}

template <class Body>
cudaError_t ask_stream(const char* function, cudaStream_t handle, const void* result, Body body) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(result != nullptr);
    body(runtime.streams.find(handle));
  });
}

// The attributes of streams are hints for a GPU's caches, fences and scheduling: kept, so that a
// program reads back what it set, and without effect here.
bool is_stream_attribute(cudaLaunchAttributeID attribute) {
  return attribute == cudaLaunchAttributeAccessPolicyWindow ||
         attribute == cudaLaunchAttributeSynchronizationPolicy ||
         attribute == cudaLaunchAttributePriority ||
         attribute == cudaLaunchAttributeMemSyncDomainMap ||
         attribute == cudaLaunchAttributeMemSyncDomain;
}

cudaLaunchAttributeValue attribute_of(const Stream& stream, cudaLaunchAttributeID attribute) {
  if (const auto set = stream.attributes.find(attribute); set != stream.attributes.end()) {
    return set->second;
  }
  cudaLaunchAttributeValue value{};
  if (attribute == cudaLaunchAttributePriority) value.priority = stream.priority;
  if (attribute == cudaLaunchAttributeSynchronizationPolicy) value.syncPolicy = cudaSyncPolicyAuto;
  if (attribute == cudaLaunchAttributeMemSyncDomainMap) value.memSyncDomainMap.remote = 1;
  return value;
}

void set_attribute(Stream& stream, cudaLaunchAttributeID attribute,
                   const cudaLaunchAttributeValue& value) {
  if (attribute == cudaLaunchAttributePriority) {
    stream.priority = std::clamp(value.priority, highest_priority, lowest_priority);
    return;
  }
  if (attribute == cudaLaunchAttributeAccessPolicyWindow) {
    const cudaAccessPolicyWindow& window = value.accessPolicyWindow;
    require(window.hitRatio >= 0 && window.hitRatio <= 1);
    require(window.missProp != cudaAccessPropertyPersisting);
  }
  stream.attributes[attribute] = value;
}

cudaError_t create_event(const char* function, cudaEvent_t* event, unsigned flags) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(event != nullptr);
    *event = runtime.streams.create_event(flags);
  });
}

cudaError_t record(const char* function, cudaEvent_t handle, cudaStream_t stream_handle) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    Event& event = runtime.streams.find_event(handle);
    const Stream& stream = runtime.streams.find(stream_handle);
    event.recorded = true;
    event.time = std::chrono::steady_clock::now();
    event.after = runtime.unfinished(stream_handle);
    event.capture = stream.capture;
    event.frontier = stream.frontier;
  });
}

// The event of a call that needs it recorded outside a capture.
Event& usable_event(Runtime& runtime, cudaEvent_t handle) {
  Event& event = runtime.streams.find_event(handle);
  require(event.capture == nullptr, cudaErrorCapturedEvent);
  return event;
}

bool pending(const Event& event) {
  return std::any_of(event.after.begin(), event.after.end(),
                     [](const auto& kernel) { return !kernel->done; });
}

// When it was complete.
std::chrono::steady_clock::time_point time_of(const Event& event) {
  std::chrono::steady_clock::time_point time = event.time;
  for (const auto& kernel : event.after) time = std::max(time, kernel->ended);
  return time;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream("cudaStreamCreate", stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream("cudaStreamCreateWithFlags", stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return Runtime::call("cudaStreamDestroy", Effect::release, [&](Runtime& runtime) {
    require(!Streams::is_default(stream), cudaErrorInvalidResourceHandle);
    runtime.wait_for_stream(stream);
    runtime.streams.destroy(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Runtime::call("cudaStreamSynchronize", Effect::synchronizing,
                       [&](Runtime& runtime) { wait_for_kernels(runtime, stream); });
}
decltype(cudaStreamSynchronize) cudaStreamSynchronize_ptsz [[gnu::alias("cudaStreamSynchronize")]];

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return Runtime::call("cudaStreamQuery", Effect::synchronizing, [&](Runtime& runtime) {
    refuse_while_capturing(runtime.streams.find(stream));
    require(runtime.unfinished(stream).empty(), cudaErrorNotReady);
  });
}
decltype(cudaStreamQuery) cudaStreamQuery_ptsz [[gnu::alias("cudaStreamQuery")]];

cudaError_t cudaDeviceSynchronize() {
  return Runtime::call("cudaDeviceSynchronize", Effect::synchronizing, [](Runtime& runtime) {
    require(!runtime.streams.capturing(), cudaErrorStreamCaptureUnsupported);
    runtime.running.wait_for_all();
    runtime.flush_output();
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return ask_stream("cudaStreamGetFlags", handle, flags,
                    [&](const Stream& stream) { *flags = stream.flags; });
}
decltype(cudaStreamGetFlags) cudaStreamGetFlags_ptsz [[gnu::alias("cudaStreamGetFlags")]];

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return ask_stream("cudaStreamGetPriority", handle, priority,
                    [&](const Stream& stream) { *priority = stream.priority; });
}
decltype(cudaStreamGetPriority) cudaStreamGetPriority_ptsz [[gnu::alias("cudaStreamGetPriority")]];

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return ask_stream("cudaStreamGetId", handle, id, [&](const Stream& stream) { *id = stream.id; });
}
decltype(cudaStreamGetId) cudaStreamGetId_ptsz [[gnu::alias("cudaStreamGetId")]];

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return ask_stream("cudaStreamGetDevice", handle, device, [&](const Stream&) { *device = 0; });
}
decltype(cudaStreamGetDevice) cudaStreamGetDevice_ptsz [[gnu::alias("cudaStreamGetDevice")]];
#endif

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return ask_stream("cudaStreamGetAttribute", handle, value, [&](const Stream& stream) {
    require(is_stream_attribute(attribute));
    *value = attribute_of(stream, attribute);
  });
}
decltype(cudaStreamGetAttribute) cudaStreamGetAttribute_ptsz
    [[gnu::alias("cudaStreamGetAttribute")]];

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return ask_stream("cudaStreamSetAttribute", handle, value, [&](Stream& stream) {
    require(is_stream_attribute(attribute));
    set_attribute(stream, attribute, *value);
  });
}
decltype(cudaStreamSetAttribute) cudaStreamSetAttribute_ptsz
    [[gnu::alias("cudaStreamSetAttribute")]];

cudaError_t cudaStreamCopyAttributes(cudaStream_t destination, cudaStream_t source) {
  return Runtime::call("cudaStreamCopyAttributes", Effect::asynchronous, [&](Runtime& runtime) {
    const Stream& from = runtime.streams.find(source);
    Stream& to = runtime.streams.find(destination);
    to.attributes = from.attributes;
    to.priority = from.priority;
  });
}
decltype(cudaStreamCopyAttributes) cudaStreamCopyAttributes_ptsz
    [[gnu::alias("cudaStreamCopyAttributes")]];

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return Runtime::call("cudaDeviceGetStreamPriorityRange", Effect::asynchronous, [&](Runtime&) {
    if (least != nullptr) *least = lowest_priority;
    if (greatest != nullptr) *greatest = highest_priority;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return Runtime::call("cudaStreamWaitEvent", Effect::asynchronous, [&](Runtime& runtime) {
    Stream& stream = runtime.streams.find(handle);
    const Event& event = runtime.streams.find_event(event_handle);
    if (event.capture == nullptr) {
      require(stream.capture == nullptr || !event.recorded, cudaErrorStreamCaptureIsolation);
      std::copy_if(event.after.begin(), event.after.end(), std::back_inserter(stream.waits_for),
                   [](const auto& kernel) { return !kernel->done; });
      return;
    }
    if (event.capture->graph == nullptr) return;  // that capture has ended
    require(!Streams::is_default(handle), cudaErrorStreamCaptureImplicit);
    require(stream.capture == nullptr || stream.capture == event.capture,
            cudaErrorStreamCaptureMerge);
    stream.capture = event.capture;
    stream.frontier.insert(stream.frontier.end(), event.frontier.begin(), event.frontier.end());
  });
}
decltype(cudaStreamWaitEvent) cudaStreamWaitEvent_ptsz [[gnu::alias("cudaStreamWaitEvent")]];

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return Runtime::call("cudaLaunchHostFunc", Effect::asynchronous, [&](Runtime& runtime) {
    require(function != nullptr);
    runtime.submit(stream, cudaGraphNodeTypeHost, [function, data](Runtime& now) {
      if (!now.faulted()) now.run_callback([&] { function(data); });
    });
  });
}
decltype(cudaLaunchHostFunc) cudaLaunchHostFunc_ptsz [[gnu::alias("cudaLaunchHostFunc")]];

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return Runtime::call("cudaStreamAddCallback", Effect::asynchronous, [&](Runtime& runtime) {
    require(callback != nullptr && flags == 0);
    wait_for_kernels(runtime, stream);
    const cudaError_t status = runtime.faulted() ? cudaErrorLaunchFailure : cudaSuccess;
    runtime.run_callback([&] { callback(stream, status, data); });
  });
}
decltype(cudaStreamAddCallback) cudaStreamAddCallback_ptsz [[gnu::alias("cudaStreamAddCallback")]];

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return create_event("cudaEventCreate", event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event("cudaEventCreateWithFlags", event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return Runtime::call("cudaEventDestroy", Effect::release,
                       [&](Runtime& runtime) { runtime.streams.destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record("cudaEventRecord", event, stream);
}
decltype(cudaEventRecord) cudaEventRecord_ptsz [[gnu::alias("cudaEventRecord")]];

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return record("cudaEventRecordWithFlags", event, stream);
}
decltype(cudaEventRecordWithFlags) cudaEventRecordWithFlags_ptsz
    [[gnu::alias("cudaEventRecordWithFlags")]];

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return Runtime::call("cudaEventQuery", Effect::synchronizing, [&](Runtime& runtime) {
    require(!pending(usable_event(runtime, event)), cudaErrorNotReady);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Runtime::call("cudaEventSynchronize", Effect::synchronizing, [&](Runtime& runtime) {
    const auto kernels = usable_event(runtime, event).after;  // the event may be gone meanwhile
    for (const auto& kernel : kernels) runtime.running.wait_for(*kernel);
    runtime.flush_output();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return Runtime::call("cudaEventElapsedTime", Effect::synchronizing, [&](Runtime& runtime) {
    require(milliseconds != nullptr);
    const Event& from = usable_event(runtime, start);
    const Event& to = usable_event(runtime, end);
    require(from.recorded && to.recorded, cudaErrorInvalidResourceHandle);
    require(!pending(from) && !pending(to), cudaErrorNotReady);
    require(((from.flags | to.flags) & cudaEventDisableTiming) == 0,
            cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(time_of(to) - time_of(from)).count();
  });
}

}  // extern "C"
