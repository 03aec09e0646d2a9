// Which warp writes last? Nothing decides it.
#include <cstdio>

__global__ void last_one(int* winner) {
  if (threadIdx.x % 32 == 0) *winner = threadIdx.x / 32;
}

int main() {
  int* winner;
  cudaMalloc(&winner, sizeof(int));
  last_one<<<1, 256>>>(winner);
  int answer = 0;
  cudaMemcpy(&answer, winner, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("warp %d wrote last\n", answer);
  cudaFree(winner);
}
