// y = a x + y, with every call checked.
#include <cmath>
#include <vector>

#include "expect.hpp"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100003;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = 1.0f;
  }
  float *device_x, *device_y;
  CALL(cudaMalloc(&device_x, n * sizeof(float)));
  CALL(cudaMalloc(&device_y, n * sizeof(float)));
  CALL(cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, device_x, device_y);
  CALL(cudaGetLastError());
  CALL(cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  float worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(y[i] - (2.0f * x[i] + 1.0f)));
  CALL(cudaFree(device_x));
  CALL(cudaFree(device_y));
  std::printf("saxpy: n = %d, largest error %g\n", n, worst);
  return worst == 0 ? 0 : 1;
}
