//! # Ceiling: cublasSdot {#dot_product_ceiling_cublas}
//! @links cublas
//!
//! The vendor's library on the same problem, called the ordinary way. Vectors of
//! BLAS have a stride from element to element; ours is 1.
//!
//! BLAS was made for CPUs, where `dot` is a function that returns a number. On a
//! GPU that would mean to wait for the kernels and to fetch the number, each
//! time. So cuBLAS can be told to leave the scalars that a function returns in
//! the device's memory, and then a call only queues its kernels, as ours do.
#include "common/device/cublas.hpp"

ladder::Cublas cublas(CUBLAS_POINTER_MODE_DEVICE);

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  if (N == 0) return;
  ladder::check(cublasSdot(cublas.handle(), N, A, 1, B, 1, result),
                "cublasSdot");
}
