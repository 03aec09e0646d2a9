// Host threads that use the device at the same time.
#include <thread>
#include <vector>

#include "expect.hpp"

__global__ void add(int* value, int amount) {
  atomicAdd(value, amount);
}

static void work(int* total, int amount) {
  if (amount % 2 == 0) {
    EXPECT(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  }
  for (int i = 0; i < 20; ++i) {
    void* scratch;
    CALL(cudaMalloc(&scratch, 1000));
    add<<<2, 32>>>(total, amount);
    CALL(cudaFree(scratch));
  }
  // The last error is each thread's own.
  EXPECT(cudaGetLastError() == (amount % 2 == 0 ? cudaErrorInvalidValue : cudaSuccess));
}

int main() {
  int *total, host = 0, expected = 0;
  CALL(cudaMalloc(&total, sizeof *total));
  CALL(cudaMemset(total, 0, sizeof *total));
  std::vector<std::thread> threads;
  for (int amount = 1; amount <= 4; ++amount) {
    threads.emplace_back(work, total, amount);
    expected += 20 * 64 * amount;
  }
  for (std::thread& thread : threads) thread.join();
  CALL(cudaMemcpy(&host, total, sizeof host, cudaMemcpyDeviceToHost));
  CALL(cudaFree(total));
  EXPECT(host == expected);
  std::printf("threads: all as expected\n");
}
