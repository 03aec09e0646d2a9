//! # A whole program: from main to a verified sum {#vector_add_whole_program}
//! @problem whole_program
//! @new   cudaMalloc, cudaMemcpy, cudaDeviceSynchronize, cudaFree
//!
//! The steps receive device pointers and a caller that checks what they did.
//! Here is everything that such a caller does, in the order in which every CUDA
//! program does it: allocate, copy in, launch, wait, copy out, free. It prints
//! one line and exits with 0 if each sum is right.
//!
//! **Two memories.** `A` lives in the computer's memory, `d_A` holds the address
//! of its copy in the GPU's. Only `cudaMemcpy` carries data between them, and
//! its last argument says in which direction.
//!
//! **Every call can fail**, and says so by what it returns: no memory left, no
//! GPU, a driver too old. A kernel that goes wrong *while it runs* has nothing
//! to return, since the launch is long over; its error comes out of the next
//! call that waits for it. So we ask twice: `cudaGetLastError` right after the
//! launch (was it accepted?) and `cudaDeviceSynchronize` (did it end well?).
//!
//! **Whatever fails, free what you have.** The calls are strung together with
//! `&&`: the first that fails ends the chain, and control arrives at the same
//! cudaFree calls that a successful run reaches. The pointers start as nullptr,
//! because freeing nullptr does nothing and is no error. The frees are joined
//! the other way round, `succeeded(...) && ok`, so that each runs in any case.
//!
//! The checker runs this program once for each of its CUDA calls, making just
//! that one fail. Each time it wants to see a message, an exit code other than
//! 0, and nothing left allocated.
//!
//! **Try.** Build it with plain nvcc and run it. Then ask for a thousand times
//! the bytes in the second cudaMalloc: what does it print, what does it free?
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int block_size = 256;

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
  }
}

// Whether the launch was accepted. The kernel may still be running.
cudaError_t launch_vector_add(const float* d_A, const float* d_B, float* d_C,
                              int N) {
  const int blocks = (N + block_size - 1) / block_size;
  vector_add<<<blocks, block_size>>>(d_A, d_B, d_C, N);
  return cudaGetLastError();
}

// True if a call went well; otherwise says on stderr which one did not, and why.
bool succeeded(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return true;
  std::fprintf(stderr, "%s failed: %s\n", call, cudaGetErrorString(status));
  return false;
}

// C = A + B on the GPU. False if any call failed; then C means nothing.
bool add_on_gpu(const std::vector<float>& A, const std::vector<float>& B,
                std::vector<float>& C) {
  const int N = static_cast<int>(A.size());
  const size_t bytes = N * sizeof(float);
  float *d_A = nullptr, *d_B = nullptr, *d_C = nullptr;

  bool ok =
      succeeded(cudaMalloc(&d_A, bytes), "cudaMalloc of A") &&
      succeeded(cudaMalloc(&d_B, bytes), "cudaMalloc of B") &&
      succeeded(cudaMalloc(&d_C, bytes), "cudaMalloc of C") &&
      succeeded(cudaMemcpy(d_A, A.data(), bytes, cudaMemcpyHostToDevice),
                "cudaMemcpy of A to the GPU") &&
      succeeded(cudaMemcpy(d_B, B.data(), bytes, cudaMemcpyHostToDevice),
                "cudaMemcpy of B to the GPU") &&
      succeeded(launch_vector_add(d_A, d_B, d_C, N), "launch of vector_add") &&
      succeeded(cudaDeviceSynchronize(), "cudaDeviceSynchronize") &&
      succeeded(cudaMemcpy(C.data(), d_C, bytes, cudaMemcpyDeviceToHost),
                "cudaMemcpy of C from the GPU");

  ok = succeeded(cudaFree(d_A), "cudaFree of A") && ok;
  ok = succeeded(cudaFree(d_B), "cudaFree of B") && ok;
  ok = succeeded(cudaFree(d_C), "cudaFree of C") && ok;
  return ok;
}

int main() {
  const int N = 1000003;  // no multiple of the block size
  std::vector<float> A(N), B(N), C(N);
  for (int i = 0; i < N; ++i) {
    A[i] = static_cast<float>(i % 1000);
    B[i] = static_cast<float>(i % 7) / 8;
  }

  if (!add_on_gpu(A, B, C)) return 1;

  for (int i = 0; i < N; ++i) {
    if (C[i] != A[i] + B[i]) {
      std::fprintf(stderr, "C[%d] is %g, not %g\n", i, C[i], A[i] + B[i]);
      return 1;
    }
  }
  std::printf("vector_add: %d sums, all right\n", N);
  return 0;
}
