#include <cuda_runtime.h>

__global__ void scores_of(const float* Q, const float* K, float* scores, int M, int N, int d) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= M || j >= N) return;
  float sum = 0.0f;
  for (int c = 0; c < d; ++c) sum += Q[i * d + c] * K[j * d + c];
  scores[(size_t)i * N + j] = sum / sqrtf((float)d);
}

// A block for each row.
__global__ void softmax(float* scores, int N) {
  __shared__ float shared[128];
  float* row = scores + (size_t)blockIdx.x * N;
  int tid = threadIdx.x;
  float largest = -INFINITY;
  for (int j = tid; j < N; j += 128) largest = fmaxf(largest, row[j]);
  shared[tid] = largest;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (tid < s) shared[tid] = fmaxf(shared[tid], shared[tid + s]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0.0f;
  for (int j = tid; j < N; j += 128) {
    row[j] = expf(row[j] - largest);
    sum += row[j];
  }
  shared[tid] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  for (int j = tid; j < N; j += 128) row[j] /= shared[0];
}

__global__ void values_of(const float* scores, const float* V, float* output, int M, int N, int d) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= M || c >= d) return;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) sum += scores[(size_t)i * N + j] * V[j * d + c];
  output[i * d + c] = sum;
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int M, int N,
                      int d) {
  float* scores;
  cudaMalloc(&scores, (size_t)M * N * sizeof(float));
  dim3 threads(16, 16);
  scores_of<<<dim3((N + 15) / 16, (M + 15) / 16), threads>>>(Q, K, scores, M, N, d);
  softmax<<<M, 128>>>(scores, N);
  values_of<<<dim3((d + 15) / 16, (M + 15) / 16), threads>>>(scores, V, output, M, N, d);
  cudaDeviceSynchronize();
  cudaFree(scores);
}
