// Pitched memory: 2D and 3D copies and fills.
#include <vector>

#include "expect.hpp"

__global__ void fill(float* rows, size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height)
    reinterpret_cast<float*>(reinterpret_cast<char*>(rows) + y * pitch)[x] =
        static_cast<float>(100 * y + x);
}

static void two_dimensions() {
  const int width = 37, height = 5;
  float* device;
  size_t pitch = 0;
  CALL(cudaMallocPitch(&device, &pitch, width * sizeof(float), height));
  EXPECT(pitch >= width * sizeof(float) && pitch % 256 == 0);
  CALL(cudaMemset2D(device, pitch, 0xff, width * sizeof(float), height));
  fill<<<height, 64>>>(device, pitch, width - 1, height);

  std::vector<float> host(width * height, -1);
  CALL(cudaMemcpy2D(host.data(), width * sizeof(float), device, pitch, width * sizeof(float),
                    height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y) {
    EXPECT(host[y * width + 7] == 100 * y + 7);
    EXPECT(host[y * width + width - 1] != host[y * width + width - 1]);  // NaN: all bits set
  }

  // A window of one array into another.
  CALL(cudaMemcpy2D(device, pitch, host.data() + width + 3, width * sizeof(float),
                    2 * sizeof(float), 2, cudaMemcpyDefault));
  CALL(cudaMemcpy2DAsync(host.data(), width * sizeof(float), device, pitch, 2 * sizeof(float), 2,
                         cudaMemcpyDeviceToHost, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(host[0] == 103 && host[1] == 104 && host[width] == 203 && host[width + 1] == 204);
  EXPECT(cudaMemcpy2D(host.data(), 4, device, pitch, 8, 2, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidPitchValue);
  cudaGetLastError();
  CALL(cudaFree(device));
}

static void three_dimensions() {
  const cudaExtent extent = make_cudaExtent(6 * sizeof(int), 3, 2);
  cudaPitchedPtr device;
  CALL(cudaMalloc3D(&device, extent));
  std::vector<int> host(6 * 3 * 2), back(host.size(), 0);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), 6 * sizeof(int), 6, 3);
  copy.dstPtr = device;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CALL(cudaMemcpy3D(&copy));
  copy.srcPtr = device;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 6 * sizeof(int), 6, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CALL(cudaMemcpy3D(&copy));
  EXPECT(back == host);
  CALL(cudaMemset3D(device, 0, extent));
  CALL(cudaMemcpy3D(&copy));
  EXPECT(back == std::vector<int>(host.size(), 0));
  CALL(cudaFree(device.ptr));
}

int main() {
  two_dimensions();
  three_dimensions();
  std::printf("copies: all as expected\n");
}
