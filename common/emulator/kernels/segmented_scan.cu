#include <cuda_runtime.h>

// Blocks scan pairs of a sum and whether a segment starts in it; one warp carries the last pair of
// each block to the next; what comes before a block's first flag gets that carry.
struct Pair {
  float sum;
  int flag;
};

__device__ Pair combine(Pair left, Pair right) {
  Pair both;
  both.sum = right.flag ? right.sum : left.sum + right.sum;
  both.flag = left.flag | right.flag;
  return both;
}

__global__ void scan_blocks(const float* input, const int* flags, float* output, Pair* totals,
                            int* first_flag, int N) {
  __shared__ Pair pairs[256];
  __shared__ int first;
  int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  if (tid == 0) first = 256;
  Pair mine = {0.0f, 0};
  if (i < N) mine = {input[i], flags[i]};
  pairs[tid] = mine;
  __syncthreads();
  if (mine.flag) atomicMin(&first, tid);
  for (int offset = 1; offset < 256; offset *= 2) {
    Pair left = {0.0f, 0};
    if (tid >= offset) left = pairs[tid - offset];
    __syncthreads();
    if (tid >= offset) pairs[tid] = combine(left, pairs[tid]);
    __syncthreads();
  }
  if (i < N) output[i] = pairs[tid].sum;
  if (tid == 255) {
    totals[blockIdx.x] = pairs[255];
    first_flag[blockIdx.x] = first;
  }
}

// Exclusive scan of the blocks' pairs by one warp, 32 at a time.
__global__ void carry(Pair* totals, int blocks) {
  Pair before = {0.0f, 0};
  for (int base = 0; base < blocks; base += 32) {
    int at = base + threadIdx.x;
    Pair mine = {0.0f, 0};
    if (at < blocks) mine = totals[at];
    for (int offset = 1; offset < 32; offset *= 2) {
      Pair left;
      left.sum = __shfl_up_sync(~0u, mine.sum, offset);
      left.flag = __shfl_up_sync(~0u, mine.flag, offset);
      if (threadIdx.x >= offset) mine = combine(left, mine);
    }
    Pair inclusive = combine(before, mine);
    Pair exclusive;
    exclusive.sum = __shfl_up_sync(~0u, inclusive.sum, 1);
    exclusive.flag = __shfl_up_sync(~0u, inclusive.flag, 1);
    if (threadIdx.x == 0) exclusive = before;
    if (at < blocks) totals[at] = exclusive;
    before.sum = __shfl_sync(~0u, inclusive.sum, 31);
    before.flag = __shfl_sync(~0u, inclusive.flag, 31);
  }
}

__global__ void add_carry(float* output, const Pair* totals, const int* first_flag, int N) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N && threadIdx.x < first_flag[blockIdx.x]) output[i] += totals[blockIdx.x].sum;
}

extern "C" void solve(const float* input, const int* flags, float* output, int N) {
  int blocks = (N + 255) / 256;
  Pair* totals;
  int* first_flag;
  cudaMalloc(&totals, blocks * sizeof(Pair));
  cudaMalloc(&first_flag, blocks * sizeof(int));
  scan_blocks<<<blocks, 256>>>(input, flags, output, totals, first_flag, N);
  carry<<<1, 32>>>(totals, blocks);
  add_carry<<<blocks, 256>>>(output, totals, first_flag, N);
  cudaDeviceSynchronize();
  cudaFree(first_flag);
  cudaFree(totals);
}
