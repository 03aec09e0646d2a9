#include "linked.hpp"

#include <cstdio>

__device__ int counter = 0;
__constant__ int table[4] = {10, 20, 30, 40};
static __device__ int own = 7;

__device__ int twice(int x) {
  return 2 * x + own;
}

__device__ Counter::Counter(int start) : start_(start) {}
__device__ long Counter::value() const {
  return start_ + 100;
}

static __global__ void other(int* out) {
  out[0] = counter + own;
  printf("there: %d\n", own);
}

void launch_the_other(int* out) {
  other<<<1, 1>>>(out);
}
