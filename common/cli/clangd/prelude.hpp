// Included before every .cu file by clangd, and by no compiler: lets clang's CUDA mode read headers
// of toolkits that are newer than clang. Tried with clang 14 and CUDA 13.0.
#pragma once

// CUDA 12 removed texture references; clang 14's own headers still name them.
template <typename T, int dimensions, int read_mode>
struct texture;

#include <__clang_cuda_runtime_wrapper.h>

// Loads and stores with cache hints, which clang 14 does not declare.
// clang-format off
template <typename T> __device__ T __ldcg(const T* address);
template <typename T> __device__ T __ldca(const T* address);
template <typename T> __device__ T __ldcs(const T* address);
template <typename T> __device__ T __ldlu(const T* address);
template <typename T> __device__ T __ldcv(const T* address);
template <typename T> __device__ void __stwb(T* address, T value);
template <typename T> __device__ void __stcg(T* address, T value);
template <typename T> __device__ void __stcs(T* address, T value);
template <typename T> __device__ void __stwt(T* address, T value);
// nvcc has these on the host too.
template <typename T> __host__ T min(T a, T b);
template <typename T> __host__ T max(T a, T b);
// clang-format on
