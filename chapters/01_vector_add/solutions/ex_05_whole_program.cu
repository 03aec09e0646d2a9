//! # Exercise 5: a program that admits failure {#vector_add_ex_05}
//! @builds-on whole_program
//! @problem whole_program
//! @solution
//!
//! Every call's status goes through `succeeded`, and `&&` ends the chain at the
//! first that failed. The two frees come after the chain, on the one road that
//! all outcomes share, and their own statuses count as well.
//!
//! The launch is checked twice, for two different things: cudaGetLastError for a
//! launch that was refused, cudaDeviceSynchronize for a kernel that was accepted
//! and came to grief. The cudaMemcpy back would wait too and report the latter,
//! but under its own name.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int block_size = 256;

__global__ void relu(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    output[i] = fmaxf(input[i], 0.0f);
  }
}

// Whether the launch was accepted. The kernel may still be running.
cudaError_t launch_relu(const float* d_input, float* d_output, int N) {
  const int blocks = (N + block_size - 1) / block_size;
  relu<<<blocks, block_size>>>(d_input, d_output, N);
  // [hole launched: 1 line] What does the launch itself have to say?
  // [stub] return cudaSuccess;
  return cudaGetLastError();
  // [/hole]
}

// True if a call went well; otherwise says on stderr which one did not, and why.
bool succeeded(cudaError_t status, const char* call) {
  // [hole report: ~3 lines] Look at the status; print `call` and the reason.
  // [stub] return true;
  if (status == cudaSuccess) return true;
  std::fprintf(stderr, "%s failed: %s\n", call, cudaGetErrorString(status));
  return false;
  // [/hole]
}

// output = max(input, 0) on the GPU. False if any call failed.
bool relu_on_gpu(const std::vector<float>& input, std::vector<float>& output) {
  const int N = static_cast<int>(input.size());
  const size_t bytes = N * sizeof(float);
  float *d_input = nullptr, *d_output = nullptr;

  // [hole calls: ~14 lines] Check each call; after a failure only free.
  // [stub] cudaMalloc(&d_input, bytes);
  // [stub] cudaMalloc(&d_output, bytes);
  // [stub] cudaMemcpy(d_input, input.data(), bytes, cudaMemcpyHostToDevice);
  // [stub] launch_relu(d_input, d_output, N);
  // [stub] cudaDeviceSynchronize();
  // [stub] cudaMemcpy(output.data(), d_output, bytes, cudaMemcpyDeviceToHost);
  // [stub] cudaFree(d_input);
  // [stub] cudaFree(d_output);
  // [stub] return true;
  bool ok =
      succeeded(cudaMalloc(&d_input, bytes), "cudaMalloc of the input") &&
      succeeded(cudaMalloc(&d_output, bytes), "cudaMalloc of the output") &&
      succeeded(
          cudaMemcpy(d_input, input.data(), bytes, cudaMemcpyHostToDevice),
          "cudaMemcpy to the GPU") &&
      succeeded(launch_relu(d_input, d_output, N), "launch of relu") &&
      succeeded(cudaDeviceSynchronize(), "cudaDeviceSynchronize") &&
      succeeded(
          cudaMemcpy(output.data(), d_output, bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy from the GPU");
  ok = succeeded(cudaFree(d_input), "cudaFree of the input") && ok;
  ok = succeeded(cudaFree(d_output), "cudaFree of the output") && ok;
  return ok;
  // [/hole]
}

int main() {
  const int N = 100003;
  std::vector<float> input(N), output(N);
  for (int i = 0; i < N; ++i) {
    input[i] = static_cast<float>(i % 201 - 100);
  }

  if (!relu_on_gpu(input, output)) return 1;

  for (int i = 0; i < N; ++i) {
    const float expected = input[i] > 0 ? input[i] : 0;
    if (output[i] != expected) {
      std::fprintf(stderr, "output[%d] is %g, not %g\n", i, output[i],
                   expected);
      return 1;
    }
  }
  std::printf("relu: %d elements, all right\n", N);
  return 0;
}
