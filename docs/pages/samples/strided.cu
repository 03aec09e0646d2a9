// A solver for the problem vector_add that is right, and reads and writes badly: neighbouring
// threads are far apart in memory.
extern "C" void solve(const float* A, const float* B, float* C, int N);

__global__ void add(const float* A, const float* B, float* C, int N) {
  const int threads = gridDim.x * blockDim.x;
  const int each = (N + threads - 1) / threads;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each && i < N; ++i) C[i] = A[i] + B[i];
}

void solve(const float* A, const float* B, float* C, int N) {
  if (N > 0) add<<<16, 128>>>(A, B, C, N);
}
