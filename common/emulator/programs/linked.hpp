// What linked.cu and linked_other.cu know of each other.
#pragma once

extern __device__ int twice(int x);
extern __device__ int counter;
extern __constant__ int table[4];

class Counter {
 public:
  __device__ explicit Counter(int start);
  __device__ virtual long value() const;

 private:
  int start_;
};

void launch_the_other(int* out);
