// Copies and fills between host and device, with the direction that the program states checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {

// One copy of `rows` rows of `width` bytes each; a flat copy has one row.
struct CopyRequest {
  void* to = nullptr;
  std::size_t to_pitch = 0;  // bytes between rows
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t width = 0;
  std::size_t rows = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  const char* call = "a memcpy node of a graph";  // the function's name, in reports
};

struct SetRequest {
  void* to = nullptr;
  std::size_t pitch = 0;
  int value = 0;          // its low bytes
  std::size_t width = 0;  // bytes
  std::size_t rows = 1;
  unsigned element = 1;  // bytes of the value: 1, 2 or 4
};

// Throws ApiError when a pointer does not fit the copy's kind or a pitch is too small.
// A three-dimensional copy of pitched memory, plane by plane.
std::vector<CopyRequest> planes_of(const cudaMemcpy3DParms& parameters);

void check(Runtime& runtime, const CopyRequest& request);
void check(Runtime& runtime, const SetRequest& request);
// Do the work, unless an earlier kernel failed. Throw Fault outside an allocation.
void run(Runtime& runtime, const CopyRequest& request);
void run(Runtime& runtime, const SetRequest& request);

// The device address of a `__device__` or `__constant__` variable's byte `offset`, of which
// `bytes` bytes are meant. Throws ApiError for an unknown variable or a range outside it.
void* symbol_address(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes);

}  // namespace ladder::emulator
