#include <cuda_runtime.h>

// A warp for each row, four rows to a block; (m, d) pairs are merged with shuffles.
__global__ void softmax_rows(const float* input, float* output, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* x = input + (size_t)row * cols;
  float* y = output + (size_t)row * cols;

  float m = -INFINITY;
  for (int j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, x[j]);
  for (int mask = 16; mask > 0; mask >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, mask));
  float d = 0.0f;
  for (int j = threadIdx.x; j < cols; j += 32) d += __expf(x[j] - m);
  for (int mask = 16; mask > 0; mask >>= 1) d += __shfl_xor_sync(0xffffffff, d, mask);
  float scale = 1.0f / d;
  for (int j = threadIdx.x; j < cols; j += 32) y[j] = __expf(x[j] - m) * scale;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  dim3 threads(32, 4);
  softmax_rows<<<(rows + 3) / 4, threads>>>(input, output, rows, cols);
  cudaDeviceSynchronize();
}
