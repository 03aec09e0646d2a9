// Memory that host and device share: managed, pinned, registered; what a pointer is.
#include <vector>

#include "expect.hpp"

__managed__ int managed_count = 7;
__managed__ float managed_array[4];

__global__ void increment(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
  if (i == 0) {
    managed_count += 1;
    managed_array[3] = 1.5f;
  }
}

static cudaMemoryType type_of(const void* pointer) {
  cudaPointerAttributes attributes;
  CALL(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type;
}

int main() {
  const int n = 100;
  int *managed, *pinned, *mapped, *device;
  std::vector<int> registered(n, 30);
  CALL(cudaMallocManaged(&managed, n * sizeof(int)));
  CALL(cudaMallocHost(&pinned, n * sizeof(int)));
  CALL(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
  CALL(cudaMalloc(&device, n * sizeof(int)));
  CALL(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterMapped));
  EXPECT(cudaHostRegister(registered.data(), 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  cudaGetLastError();
  for (int i = 0; i < n; ++i) {
    managed[i] = 10;
    pinned[i] = mapped[i] = 20;
  }
  int *mapped_device, *registered_device;
  CALL(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
  CALL(cudaHostGetDevicePointer(&registered_device, registered.data(), 0));

  EXPECT(managed_count == 7);
  increment<<<1, 128>>>(managed, n);
  increment<<<1, 128>>>(mapped_device, n);
  increment<<<1, 128>>>(registered_device, n);
  CALL(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
  increment<<<1, 128>>>(device, n);
  CALL(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
  CALL(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    EXPECT(managed[i] == 11 && mapped[i] == 21 && pinned[i] == 21 && registered[i] == 31);
  }
  EXPECT(managed_count == 11 && managed_array[3] == 1.5f);
  managed_count = 1;
  increment<<<1, 1>>>(&managed_count, 1);  // a managed variable's address as an argument
  CALL(cudaDeviceSynchronize());
  EXPECT(managed_count == 3);

  int on_stack = 0;
  EXPECT(type_of(managed + 5) == cudaMemoryTypeManaged);
  EXPECT(type_of(pinned) == cudaMemoryTypeHost);
  EXPECT(type_of(device + 1) == cudaMemoryTypeDevice);
  EXPECT(type_of(&on_stack) == cudaMemoryTypeUnregistered);

  CALL(cudaHostUnregister(registered.data()));
  CALL(cudaFree(managed));
  CALL(cudaFreeHost(pinned));
  CALL(cudaFreeHost(mapped));
  CALL(cudaFree(device));
  std::printf("host memory: all as expected\n");
}
