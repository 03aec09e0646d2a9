// cuBLAS as the ceilings call it: one handle a solver, and errors that reach the judge. For files
// that say `@links cublas`.
//
//   ladder::Cublas cublas(CUBLAS_POINTER_MODE_DEVICE);
//   ladder::check(cublasSdot(cublas.handle(), N, A, 1, B, 1, result), "cublasSdot");
#pragma once

#include <cublas_v2.h>

#include <cstdio>

#include "common/check.hpp"

namespace ladder {

// Ends the call unless `status` is CUBLAS_STATUS_SUCCESS. The message has the name of the cuBLAS
// function that gave it, and cuBLAS's words.
inline void check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  char message[256];
  std::snprintf(message, sizeof message, "%s failed: %s", function, cublasGetStatusString(status));
  fail(message);
}

// The library's state, made when it is first asked for and gone when the solver is unloaded. Make
// it a static variable of your solver. Not to be copied.
class Cublas {
 public:
  // `mode`: whether scalars that functions take or return are in the host's memory, for which a
  // call has to wait, or in the device's.
  explicit Cublas(cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST) : mode_(mode) {}
  // Gives the handle back.
  ~Cublas() {
    if (handle_ != nullptr) cublasDestroy(handle_);
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // The handle. The first call takes milliseconds, and allocates.
  cublasHandle_t handle() {
    if (handle_ == nullptr) {
      check(cublasCreate(&handle_), "cublasCreate");
      check(cublasSetPointerMode(handle_, mode_), "cublasSetPointerMode");
    }
    return handle_;
  }

 private:
  cublasPointerMode_t mode_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace ladder
