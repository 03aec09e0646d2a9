#include <cuda_runtime.h>

// Counts what each block keeps, scans the counts, then writes; ballots rank within a warp.
__global__ void count_kept(const float* input, int* counts, int N) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int kept = __syncthreads_count(i < N && input[i] > 0.0f);
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

__global__ void scan_counts(int* counts, int* total, int blocks) {
  __shared__ int sums[1024];
  __shared__ int before;
  if (threadIdx.x == 0) before = 0;
  __syncthreads();
  for (int base = 0; base < blocks; base += 1024) {
    int at = base + threadIdx.x;
    int mine = at < blocks ? counts[at] : 0;
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int offset = 1; offset < 1024; offset *= 2) {
      int left = threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (at < blocks) counts[at] = before + sums[threadIdx.x] - mine;
    __syncthreads();
    if (threadIdx.x == 1023) before += sums[1023];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = before;
}

__global__ void write_kept(const float* input, float* output, const int* starts, int N) {
  __shared__ int warp_counts[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool keep = i < N && input[i] > 0.0f;
  unsigned int kept = __ballot_sync(0xffffffff, keep);
  if (lane == 0) warp_counts[warp] = __popc(kept);
  __syncthreads();
  int position = starts[blockIdx.x] + __popc(kept & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) position += warp_counts[w];
  if (keep) output[position] = input[i];
}

extern "C" void solve(const float* input, float* output, int* count, int N) {
  int blocks = (N + 255) / 256;
  int* counts;
  cudaMalloc(&counts, blocks * sizeof(int));
  count_kept<<<blocks, 256>>>(input, counts, N);
  scan_counts<<<1, 1024>>>(counts, count, blocks);
  write_kept<<<blocks, 256>>>(input, output, counts, N);
  cudaDeviceSynchronize();
  cudaFree(counts);
}
