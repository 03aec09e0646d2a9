#include <cuda_bf16.h>
#include <cuda_runtime.h>

// A warp for each query; each lane keeps d / 32 columns in fp32.
__global__ void attention(const __nv_bfloat16* Q, const __nv_bfloat16* K, const __nv_bfloat16* V,
                          __nv_bfloat16* O, int rows, int seq, int d, int causal) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int query = row % seq;
  size_t head = (size_t)(row / seq) * seq * d;
  int columns = d / 32;
  float q[4], weighted[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < columns; ++i) {
    q[i] = __bfloat162float(Q[(size_t)row * d + lane + 32 * i]) * rsqrtf((float)d);
  }
  float largest = -INFINITY, sum = 0.0f;
  int keys = causal ? query + 1 : seq;
  for (int j = 0; j < keys; ++j) {
    float score = 0.0f;
    for (int i = 0; i < columns; ++i) {
      score += q[i] * __bfloat162float(K[head + (size_t)j * d + lane + 32 * i]);
    }
    for (int mask = 16; mask > 0; mask /= 2) score += __shfl_xor_sync(~0u, score, mask);
    float next = fmaxf(largest, score);
    float rescale = __expf(largest - next), p = __expf(score - next);
    sum = sum * rescale + p;
    for (int i = 0; i < columns; ++i) {
      float v = __bfloat162float(V[head + (size_t)j * d + lane + 32 * i]);
      weighted[i] = weighted[i] * rescale + p * v;
    }
    largest = next;
  }
  for (int i = 0; i < columns; ++i) {
    O[(size_t)row * d + lane + 32 * i] = __float2bfloat16(weighted[i] / sum);
  }
}

extern "C" void solve(const __nv_bfloat16* Q, const __nv_bfloat16* K, const __nv_bfloat16* V,
                      __nv_bfloat16* O, int batch, int heads, int seq, int d, int causal) {
  int rows = batch * heads * seq;
  attention<<<(rows + 3) / 4, 128>>>(Q, K, V, O, rows, seq, d, causal);
  cudaDeviceSynchronize();
}
