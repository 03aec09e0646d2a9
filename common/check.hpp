// CUDA_CHECK and refuse(): what every solver uses to notice that something went wrong.
//
//   CUDA_CHECK(cudaMalloc(&buffer, bytes));
//   kernel<<<grid, block>>>(...);
//   CUDA_CHECK(cudaGetLastError());  // a launch reports its errors here
//
// Inside `ladder check` the message goes to the judge; in a program of your own it is printed to
// stderr and the program ends with exit code 1, freeing nothing: chapter 01's whole_program shows
// how to do better.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

extern "C" {
// Hands an error's message to the judge. The worker that runs solvers has it; null in a program of
// your own.
__attribute__((weak)) void ladder_fail(const char* message);
// Tells the judge that a solver refuses its sizes, and why. Null in a program of your own.
__attribute__((weak)) void ladder_refuse(const char* why);
}

namespace ladder {

// Ends the call with a message. Never returns: to the judge, or else to stderr with exit code 1.
[[noreturn]] inline void fail(const char* message) {
  if (ladder_fail != nullptr) ladder_fail(message);
  std::fprintf(stderr, "%s\n", message);
  std::exit(1);
}

// What to look at first, for the errors that a newcomer meets; "" for the others.
inline const char* advice(cudaError_t status) {
  switch (status) {
    case cudaErrorInvalidConfiguration:
      return "\n  a launch needs at least one block, 1 to 1024 threads in a block, and no more "
             "shared memory than a block may have";
    case cudaErrorLaunchOutOfResources:
      return "\n  the kernel needs more registers than a block of this size can have: use fewer "
             "threads in a block, or __launch_bounds__";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
      return "\n  a kernel launched before this line went astray: `ladder check --on emulator` "
             "names the line, the thread and the array";
    case cudaErrorNoKernelImageForDevice:
      return "\n  nothing in this file was compiled for this GPU: build it with nvcc -arch=native";
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
      return "\n  there is no GPU, or its driver is older than the CUDA toolkit; `ladder` can run "
             "this on its emulator";
    default:
      return "";
  }
}

// Ends the call unless `status` is cudaSuccess. The message has file:line, the call as written, the
// error's name and text, and advice where there is some.
inline void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  char message[1024];
  std::snprintf(message, sizeof message, "%s:%d: %s\n  %s: %s%s", file, line, expression,
                cudaGetErrorName(status), cudaGetErrorString(status), advice(status));
  fail(message);
}

// For a solver whose header has @limits: says why these sizes are beyond it. Never returns.
[[noreturn]] inline void refuse(const char* why) {
  if (ladder_refuse != nullptr) ladder_refuse(why);
  std::fprintf(stderr, "refused: %s\n", why);
  std::exit(1);
}

}  // namespace ladder

// Ends the call unless a CUDA runtime call gave cudaSuccess: the message names this file and line,
// the call as written, the error and what to look at first. After a launch, which returns nothing,
// check cudaGetLastError().
#define CUDA_CHECK(call) ::ladder::check((call), #call, __FILE__, __LINE__)
