//! # Ceiling: cublasDotEx {#dot_product_ceiling_cublas_half}
//! @problem dot_f16
//! @links cublas
//!
//! The vendor's dot product for other types than float: those of the two
//! vectors, of the result, and of the arithmetic, each said in the call: halves
//! in, a half out, and floats for what lies between, with which it goes as far as
//! the result. (Step 05 goes from floats on to doubles.)
#include "common/device/cublas.hpp"

ladder::Cublas cublas(CUBLAS_POINTER_MODE_DEVICE);

extern "C" void solve(const half* A, const half* B, half* result, int N) {
  if (N == 0) return;
  ladder::check(cublasDotEx(cublas.handle(), N, A, CUDA_R_16F, 1, B, CUDA_R_16F,
                            1, result, CUDA_R_16F, CUDA_R_32F),
                "cublasDotEx");
}
