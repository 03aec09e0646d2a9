// A two-dimensional Fourier transform: rows by Stockham stages in shared memory, a transposition, rows
// again; sincospif for the factors, float2 arithmetic; compared with the defining sum.
#include <cmath>
#include <complex>

#include "../arrays.hpp"

namespace {

constexpr int n = 32;

__device__ inline float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ inline float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// One row a block of n/2 threads; sign -1 forward, 1 back.
__global__ void transform_rows(const float2* in, float2* out, float sign) {
  __shared__ float2 buffers[2][n];
  const int t = threadIdx.x, half = n / 2;
  const int row = blockIdx.x * n;
  buffers[0][t] = in[row + t];
  buffers[0][t + half] = in[row + t + half];
  int from = 0;
  for (int length = 1; length < n; length *= 2) {
    __syncthreads();
    const int k = t & (length - 1);
    float2 factor;
    sincospif(sign * static_cast<float>(k) / static_cast<float>(length), &factor.y, &factor.x);
    const float2 a = buffers[from][t];
    const float2 b = buffers[from][t + half] * factor;
    const int to = 2 * (t - k) + k;
    buffers[1 - from][to] = a + b;
    buffers[1 - from][to + length] = a - b;
    from = 1 - from;
  }
  __syncthreads();
  out[row + t] = buffers[from][t];
  out[row + t + half] = buffers[from][t + half];
}

__global__ void transpose(const float2* in, float2* out, float scale) {
  __shared__ float2 tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  const float2 value = tile[threadIdx.x][threadIdx.y];
  out[y * n + x] = make_float2(value.x * scale, value.y * scale);
}

void transform(DeviceArray<float2>& data, DeviceArray<float2>& work, float sign, float scale) {
  const dim3 grid(n / 16, n / 16), block(16, 16);
  for (int pass = 0; pass < 2; ++pass) {
    transform_rows<<<n, n / 2>>>(data, work, sign);
    transpose<<<grid, block>>>(work, data, pass == 0 ? 1.0f : scale);
  }
  CALL(cudaGetLastError());
}

}  // namespace

int main() {
  std::vector<float2> image(n * n);
  Random random(8);
  for (float2& value : image) {
    value = make_float2(static_cast<float>(random() % 256) / 256,
                        static_cast<float>(random() % 256) / 256);
  }
  DeviceArray<float2> data(image), work(n * n);
  transform(data, work, -1, 1);
  const std::vector<float2> spectrum = data.read();
  const double pi = std::acos(-1.0);
  double largest = 0;
  for (int v = 0; v < n; v += 5) {
    for (int u = 0; u < n; u += 3) {
      std::complex<double> sum = 0;
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
          const double turn = -2 * pi * ((u * x + v * y) % n) / n;
          sum += std::complex<double>(image[y * n + x].x, image[y * n + x].y) *
                 std::complex<double>(std::cos(turn), std::sin(turn));
        }
      }
      const float2 got = spectrum[v * n + u];
      largest = std::max(largest, std::abs(sum - std::complex<double>(got.x, got.y)));
    }
  }
  EXPECT(largest < 2e-3);
  transform(data, work, 1, 1.0f / (n * n));
  const std::vector<float2> back = data.read();
  for (int i = 0; i < n * n; ++i) {
    EXPECT(std::fabs(back[i].x - image[i].x) < 1e-5 && std::fabs(back[i].y - image[i].y) < 1e-5);
  }
  std::printf("fourier transform: %d x %d, there and back\n", n, n);
}
