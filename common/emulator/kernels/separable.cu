#include <cuda_runtime.h>

__global__ void along_rows(const float* input, const float* kernel, float* output, int rows,
                           int cols, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  int width = cols - size + 1;
  if (x >= width) return;
  float sum = 0.0f;
  for (int k = 0; k < size; ++k) sum += input[(size_t)y * cols + x + k] * kernel[k];
  output[(size_t)y * width + x] = sum;
}

__global__ void along_columns(const float* input, const float* kernel, float* output, int width,
                              int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  float sum = 0.0f;
  for (int k = 0; k < size; ++k) sum += input[(size_t)(y + k) * width + x] * kernel[k];
  output[(size_t)y * width + x] = sum;
}

extern "C" void solve(const float* input, const float* row_kernel, const float* col_kernel,
                      float* output, int rows, int cols, int kernel_size) {
  int width = cols - kernel_size + 1, height = rows - kernel_size + 1;
  float* between;
  cudaMalloc(&between, (size_t)rows * width * sizeof(float));
  int blocks = (width + 127) / 128;
  along_rows<<<dim3(blocks, rows), 128>>>(input, row_kernel, between, rows, cols, kernel_size);
  along_columns<<<dim3(blocks, height), 128>>>(between, col_kernel, output, width, kernel_size);
  cudaDeviceSynchronize();
  cudaFree(between);
}
