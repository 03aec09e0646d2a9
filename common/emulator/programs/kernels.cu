// What kernels can do beyond arithmetic: printf, recursion, dynamic shared memory, function
// pointers, templates, a launch by pointer, a cooperative launch.
#include "expect.hpp"

__global__ void hello() {
  printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursive(int* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x);
}

template <class T>
__global__ void reversed(T* data) {
  extern __shared__ unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  const int t = threadIdx.x, n = blockDim.x;
  tile[t] = data[t];
  __syncthreads();
  data[t] = tile[n - 1 - t];
}

__device__ int twice(int x) {
  return 2 * x;
}
__device__ int squared(int x) {
  return x * x;
}
__global__ void by_pointer(int* out, int which) {
  int (*function)(int) = which == 0 ? twice : squared;
  *out = function(7);
}

struct Pair {
  int first;
  double second;
};
__global__ void take_struct(Pair pair, double* out) {
  *out = pair.first + pair.second;
}

int main() {
  hello<<<2, 2>>>();
  std::printf("launched\n");
  std::fflush(stdout);
  CALL(cudaDeviceSynchronize());

  int *numbers, host[16];
  CALL(cudaMalloc(&numbers, sizeof host));
  recursive<<<1, 16>>>(numbers);
  CALL(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[10] == 55 && host[15] == 610);

  reversed<<<1, 16, 16 * sizeof(int)>>>(numbers);
  CALL(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 610 && host[15] == 0);

  // As toolkit 12's <<<>>> does it.
  for (int which = 0; which < 2; ++which) {
    void* arguments[] = {&numbers, &which};
    CALL(cudaLaunchKernel(reinterpret_cast<void*>(by_pointer), dim3(1), dim3(1), arguments, 0,
                          nullptr));
    CALL(cudaMemcpy(host, numbers, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(host[0] == (which == 0 ? 14 : 49));
  }

  Pair pair = {3, 0.25};
  double *sum, host_sum = 0;
  CALL(cudaMalloc(&sum, sizeof *sum));
  void* arguments[] = {&pair, &sum};
  CALL(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(take_struct), dim3(1), dim3(1),
                                   arguments, 0, nullptr));
  CALL(cudaMemcpy(&host_sum, sum, sizeof host_sum, cudaMemcpyDeviceToHost));
  EXPECT(host_sum == 3.25);
  CALL(cudaFree(sum));
  CALL(cudaFree(numbers));
  std::printf("kernels: all as expected\n");
}
