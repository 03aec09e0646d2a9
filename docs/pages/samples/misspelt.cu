extern "C" void solve(const float* A, const float* B, float* C, int N) {
  add<<<1, 1>>>(A, B, C, N);
}
