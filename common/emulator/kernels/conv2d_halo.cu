#include <cuda_runtime.h>

#define BLOCK 16

// The block's inputs and their halo go through shared memory, and so does the kernel.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows,
                         int input_cols, int kernel_rows, int kernel_cols) {
  extern __shared__ float shared[];
  int tile_rows = BLOCK + kernel_rows - 1;
  int tile_cols = BLOCK + kernel_cols - 1;
  float* tile = shared;
  float* weights = shared + tile_rows * tile_cols;
  int tid = threadIdx.y * BLOCK + threadIdx.x;
  int row0 = blockIdx.y * BLOCK, col0 = blockIdx.x * BLOCK;
  for (int i = tid; i < tile_rows * tile_cols; i += BLOCK * BLOCK) {
    int row = row0 + i / tile_cols, col = col0 + i % tile_cols;
    tile[i] = row < input_rows && col < input_cols ? input[row * input_cols + col] : 0.0f;
  }
  for (int i = tid; i < kernel_rows * kernel_cols; i += BLOCK * BLOCK) weights[i] = kernel[i];
  __syncthreads();

  int row = row0 + threadIdx.y, col = col0 + threadIdx.x;
  int output_rows = input_rows - kernel_rows + 1;
  int output_cols = input_cols - kernel_cols + 1;
  if (row < output_rows && col < output_cols) {
    float sum = 0.0f;
    for (int i = 0; i < kernel_rows; ++i) {
      for (int j = 0; j < kernel_cols; ++j) {
        sum += tile[(threadIdx.y + i) * tile_cols + threadIdx.x + j] * weights[i * kernel_cols + j];
      }
    }
    output[row * output_cols + col] = sum;
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows,
                      int input_cols, int kernel_rows, int kernel_cols) {
  int output_rows = input_rows - kernel_rows + 1;
  int output_cols = input_cols - kernel_cols + 1;
  dim3 threads(BLOCK, BLOCK);
  dim3 blocks((output_cols + BLOCK - 1) / BLOCK, (output_rows + BLOCK - 1) / BLOCK);
  size_t tile = (BLOCK + kernel_rows - 1) * (BLOCK + kernel_cols - 1);
  size_t bytes = (tile + kernel_rows * kernel_cols) * sizeof(float);
  convolve<<<blocks, threads, bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                                       kernel_cols);
  cudaDeviceSynchronize();
}
