#include <cuda_runtime.h>

__global__ void pool(const float* input, float* output, int cols, int size, int stride,
                     int output_rows, int output_cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= output_cols || y >= output_rows) return;
  const float* window = input + (size_t)y * stride * cols + x * stride;
  float largest = window[0];
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) largest = fmaxf(largest, window[(size_t)i * cols + j]);
  }
  output[(size_t)y * output_cols + x] = largest;
}

extern "C" void solve(const float* input, float* output, int rows, int cols, int size, int stride) {
  int output_rows = (rows - size) / stride + 1, output_cols = (cols - size) / stride + 1;
  dim3 threads(16, 16);
  dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
  pool<<<blocks, threads>>>(input, output, cols, size, stride, output_rows, output_cols);
  cudaDeviceSynchronize();
}
