// cuBLAS as the ceilings call it: one handle a solver, and errors that reach the judge. For files
// that say `@links cublas`.
//
//   ladder::Cublas cublas(CUBLAS_POINTER_MODE_DEVICE);
//   ladder::check(cublasSdot(cublas.handle(), N, A, 1, B, 1, result));
#pragma once

#include <cublas_v2.h>

#include "common/check.hpp"

namespace ladder {

// Ends the call with cuBLAS's words unless `status` is CUBLAS_STATUS_SUCCESS.
inline void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(cublasGetStatusString(status));
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
      check(cublasCreate(&handle_));
      check(cublasSetPointerMode(handle_, mode_));
    }
    return handle_;
  }

 private:
  cublasPointerMode_t mode_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace ladder
