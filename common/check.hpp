// CUDA_CHECK and refuse(): what every solver uses to notice that something went wrong.
//
//   CUDA_CHECK(cudaMalloc(&buffer, bytes));
//   kernel<<<grid, block>>>(...);
//   CUDA_CHECK(cudaGetLastError());  // a launch reports its errors here
//
// Inside `ladder check` the message goes to the judge; in a program of your own it is printed to
// stderr and the program ends with exit code 1.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// Provided by the worker that runs solvers; absent (null) in an ordinary program.
extern "C" {
__attribute__((weak)) void ladder_fail(const char* message);
__attribute__((weak)) void ladder_refuse(const char* why);
}

namespace ladder {

[[noreturn]] inline void fail(const char* message) {
  if (ladder_fail != nullptr) ladder_fail(message);
  std::fprintf(stderr, "%s\n", message);
  std::exit(1);
}

// Ends the call unless `status` is cudaSuccess.
inline void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  char message[512];
  std::snprintf(message, sizeof message, "%s:%d: %s\n  %s: %s", file, line, expression,
                cudaGetErrorName(status), cudaGetErrorString(status));
  fail(message);
}

// For a solver whose header has @limits: says why these sizes are beyond it. Never returns.
[[noreturn]] inline void refuse(const char* why) {
  if (ladder_refuse != nullptr) ladder_refuse(why);
  std::fprintf(stderr, "refused: %s\n", why);
  std::exit(1);
}

}  // namespace ladder

#define CUDA_CHECK(call) ::ladder::check((call), #call, __FILE__, __LINE__)
