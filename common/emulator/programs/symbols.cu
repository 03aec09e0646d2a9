// __constant__ and __device__ variables, and names that a second file of the program has too.
#include "expect.hpp"

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter = 40;
__device__ float table[8];
static __device__ int same_name = 1;

__global__ void polynomial(const float* x, float* y) {
  const float v = x[threadIdx.x];
  y[threadIdx.x] =
      coefficients[0] + v * (coefficients[1] + v * (coefficients[2] + v * coefficients[3]));
  if (threadIdx.x == 0) ++counter;
  table[threadIdx.x] = v;
}

static __global__ void read_same_name(int* out) {
  *out = same_name;
}

int other_file();  // symbols_other.cu

static void constants() {
  float x[8], y[8];
  for (int i = 0; i < 8; ++i) x[i] = static_cast<float>(i);
  float *device_x, *device_y;
  CALL(cudaMalloc(&device_x, sizeof x));
  CALL(cudaMalloc(&device_y, sizeof y));
  CALL(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice));
  polynomial<<<1, 8>>>(device_x, device_y);
  CALL(cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost));
  EXPECT(y[2] == 1 + 2 * 2 + 3 * 4 + 4 * 8);

  const float last = 10;
  CALL(cudaMemcpyToSymbol(coefficients, &last, sizeof last, 3 * sizeof last));
  polynomial<<<1, 8>>>(device_x, device_y);
  CALL(cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost));
  EXPECT(y[2] == 1 + 2 * 2 + 3 * 4 + 10 * 8);
  CALL(cudaFree(device_x));
  CALL(cudaFree(device_y));
}

static void variables() {
  int count = 0;
  CALL(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 42);
  float* address;
  size_t bytes = 0;
  CALL(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), table));
  CALL(cudaGetSymbolSize(&bytes, table));
  EXPECT(bytes == 8 * sizeof(float));
  float seven = 0;
  CALL(cudaMemcpy(&seven, address + 7, sizeof seven, cudaMemcpyDeviceToHost));
  EXPECT(seven == 7);

  EXPECT(cudaMemcpyToSymbol(table, &seven, sizeof seven, bytes) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpyToSymbol(&seven, &seven, sizeof seven) == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);
}

int main() {
  constants();
  variables();
  int *device, mine = 0;
  CALL(cudaMalloc(&device, sizeof *device));
  read_same_name<<<1, 1>>>(device);
  CALL(cudaMemcpy(&mine, device, sizeof mine, cudaMemcpyDeviceToHost));
  CALL(cudaFree(device));
  EXPECT(mine == 1 && other_file() == 2);
  std::printf("symbols: all as expected\n");
}
