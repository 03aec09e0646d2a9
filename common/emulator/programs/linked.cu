// A program whose device code is compiled in two pieces and linked (-rdc=true): functions, variables
// and constants of one are used by the other; each has a variable `own` and texts of its own.
#include "arrays.hpp"
#include "linked.hpp"

static __device__ int own = 5;
__device__ int (*chosen)(int) = twice;

__global__ void use_the_other(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[t] = twice(t) + table[t % 4] + own + static_cast<int>(Counter(t).value());
  atomicAdd(&counter, 1);
  if (t == 3) printf("here: %d\n", own);
}

__global__ void call_by_pointer(int* out) {
  out[threadIdx.x] = chosen(static_cast<int>(threadIdx.x));
}

int main() {
  constexpr int n = 8;
  DeviceArray<int> out(n);
  use_the_other<<<1, n>>>(out);
  std::vector<int> got = out.read();
  for (int t = 0; t < n; ++t) EXPECT(got[t] == 2 * t + 7 + 10 * (t % 4 + 1) + 5 + 100 + t);
  int count = 0;
  CALL(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == n);
  launch_the_other(out);
  EXPECT(out.read()[0] == n + 7);
  call_by_pointer<<<1, n>>>(out);
  got = out.read();
  for (int t = 0; t < n; ++t) EXPECT(got[t] == 2 * t + 7);
  std::printf("linked: all as expected\n");
}
