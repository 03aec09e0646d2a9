// Errors and versions.
#include <cuda_runtime_api.h>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::Effect;
using ladder::emulator::require;
using ladder::emulator::Runtime;

namespace {

struct ErrorText {
  int number;
  const char* name;
  const char* text;
};

constexpr ErrorText error_texts[] = {
#define ERROR(number, name, text) {number, #name, text},
#include "common/emulator/runtime/errors.def"
#undef ERROR
};

#if CUDART_VERSION >= 13000
#define ERROR(number, name, text) static_assert(name == number);
#include "common/emulator/runtime/errors.def"
#undef ERROR
#endif

const ErrorText* find(cudaError_t error) {
  for (const ErrorText& entry : error_texts)
    if (entry.number == static_cast<int>(error)) return &entry;
  return nullptr;
}

// These two report an error instead of having one, so they stand outside Runtime::call's frame.
cudaError_t last_error(const char* function, bool clear) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.journal.count_call(function)) return cudaErrorUnknown;
  return runtime.last_error(clear);
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  return last_error("cudaGetLastError", true);
}
cudaError_t cudaPeekAtLastError() {
  return last_error("cudaPeekAtLastError", false);
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = find(error);
  return entry == nullptr ? "unrecognized error code" : entry->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = find(error);
  return entry == nullptr ? "unrecognized error code" : entry->text;
}

cudaError_t cudaDriverGetVersion(int* version) {
  return Runtime::call("cudaDriverGetVersion", Effect::query, [&](Runtime&) {
    require(version != nullptr);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return Runtime::call("cudaRuntimeGetVersion", Effect::query, [&](Runtime&) {
    require(version != nullptr);
    *version = CUDART_VERSION;
  });
}

}  // extern "C"
