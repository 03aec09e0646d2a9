// The self-check of these programs: plain CUDA programs that know nothing of the emulator and
// behave the same on a GPU.
#pragma once

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                 \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

// Succeeds, or names the error.
#define CALL(call)                                                                         \
  do {                                                                                     \
    const cudaError_t error_ = (call);                                                     \
    if (error_ != cudaSuccess) {                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)
