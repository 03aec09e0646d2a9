#include <cuda_runtime.h>

// A warp for each query; keys and values pass through shared memory 32 at a time, and the softmax
// is corrected whenever a larger score turns up. d <= 128: four columns to a lane.
constexpr int WARPS = 4, KEYS = 32, LARGEST_D = 128;

__global__ void attention(const float* Q, const float* K, const float* V, float* output, int M,
                          int N, int d, float scale) {
  __shared__ float queries[WARPS][LARGEST_D];
  __shared__ float keys[KEYS][LARGEST_D + 1];
  __shared__ float values[KEYS][LARGEST_D];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int query = blockIdx.x * WARPS + warp;
  for (int c = lane; c < d; c += 32) {
    queries[warp][c] = query < M ? Q[(size_t)query * d + c] : 0.0f;
  }
  float largest = -INFINITY, sum = 0.0f;
  float weighted[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < N; first += KEYS) {
    __syncthreads();
    int count = min(KEYS, N - first);
    for (int i = threadIdx.x; i < count * d; i += WARPS * 32) {
      keys[i / d][i % d] = K[(size_t)first * d + i];
      values[i / d][i % d] = V[(size_t)first * d + i];
    }
    __syncthreads();
    float score = -INFINITY;
    if (lane < count) {
      score = 0.0f;
      for (int c = 0; c < d; ++c) score += queries[warp][c] * keys[lane][c];
      score *= scale;
    }
    float best = score;
    for (int mask = 16; mask > 0; mask /= 2) {
      best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, mask));
    }
    float next = fmaxf(largest, best);
    float rescale = expf(largest - next);
    float probability = expf(score - next);
    float added = probability;
    for (int mask = 16; mask > 0; mask /= 2) added += __shfl_xor_sync(0xffffffff, added, mask);
    sum = sum * rescale + added;
    largest = next;
    for (int i = 0; i < 4; ++i) weighted[i] *= rescale;
    for (int j = 0; j < count; ++j) {
      float p = __shfl_sync(0xffffffff, probability, j);
      for (int i = 0; i < 4; ++i) {
        int c = lane + 32 * i;
        if (c < d) weighted[i] += p * values[j][c];
      }
    }
  }
  if (query >= M) return;
  for (int i = 0; i < 4; ++i) {
    int c = lane + 32 * i;
    if (c < d) output[(size_t)query * d + c] = weighted[i] / sum;
  }
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int M, int N,
                      int d) {
  float scale = 1.0f / sqrtf((float)d);
  attention<<<(M + WARPS - 1) / WARPS, WARPS * 32>>>(Q, K, V, output, M, N, d, scale);
  cudaDeviceSynchronize();
}
