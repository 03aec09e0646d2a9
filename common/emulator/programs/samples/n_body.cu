// Bodies that attract each other: float4 tiles in shared memory, a template for both precisions, two
// buffers that change places; compared with the same steps on the host, and energy is kept.
#include <cmath>
#include <type_traits>

#include "../arrays.hpp"

namespace {

template <class T>
struct Vectors;
template <>
struct Vectors<float> {
  using Four = float4;
  using Three = float3;
};
template <>
struct Vectors<double> {
#if CUDART_VERSION >= 13000
  using Four = double4_16a;
#else
  using Four = double4;
#endif
  using Three = double3;
};
template <class T>
using Four = typename Vectors<T>::Four;
template <class T>
using Three = typename Vectors<T>::Three;

template <class T>
__host__ __device__ inline T inverse_root(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) {
    return rsqrtf(x);
  } else {
    return rsqrt(x);
  }
#else
  return 1 / std::sqrt(x);
#endif
}

constexpr double softening = 0.01;

template <class T>
__host__ __device__ inline void attract(Three<T>& force, const Four<T>& on, const Four<T>& by) {
  const T x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  const T inverse = inverse_root<T>(x * x + y * y + z * z + static_cast<T>(softening));
  const T weight = by.w * inverse * inverse * inverse;
  force.x += x * weight;
  force.y += y * weight;
  force.z += z * weight;
}

template <class T>
__host__ __device__ inline void move(Four<T>& position, Four<T>& velocity, const Three<T>& force,
                                     T step) {
  velocity.x += force.x * step;
  velocity.y += force.y * step;
  velocity.z += force.z * step;
  position.x += velocity.x * step;
  position.y += velocity.y * step;
  position.z += velocity.z * step;
}

template <class T, int Tile>
__global__ void advance(const Four<T>* from, Four<T>* to, Four<T>* velocities, int n, T step) {
  __shared__ Four<T> tile[Tile];
  const int i = static_cast<int>(blockIdx.x) * Tile + static_cast<int>(threadIdx.x);
  Four<T> own = from[i < n ? i : 0];
  Three<T> force = {0, 0, 0};
  for (int base = 0; base < n; base += Tile) {
    const int j = base + static_cast<int>(threadIdx.x);
    if (j < n) tile[threadIdx.x] = from[j];
    __syncthreads();
    const int count = min(Tile, n - base);
#pragma unroll 4
    for (int k = 0; k < count; ++k) attract<T>(force, own, tile[k]);
    __syncthreads();
  }
  if (i >= n) return;
  Four<T> velocity = velocities[i];
  move<T>(own, velocity, force, step);
  to[i] = own;
  velocities[i] = velocity;
}

template <class T>
double run(int n, int steps) {
  Random random(5);
  const auto coordinate = [&] { return static_cast<T>(random() % 2000) / 1000 - 1; };
  std::vector<Four<T>> bodies(n), velocities(n);
  for (int i = 0; i < n; ++i) {
    bodies[i].x = coordinate();
    bodies[i].y = coordinate();
    bodies[i].z = coordinate();
    bodies[i].w = static_cast<T>(1.0 / n);
    velocities[i].x = coordinate() / 10;
    velocities[i].y = coordinate() / 10;
    velocities[i].z = velocities[i].w = 0;
  }
  const T step = static_cast<T>(0.01);
  DeviceArray<Four<T>> a(bodies), b(n), v(velocities);
  DeviceArray<Four<T>>*from = &a, *to = &b;
  for (int s = 0; s < steps; ++s) {
    advance<T, 64><<<(n + 63) / 64, 64>>>(*from, *to, v, n, step);
    std::swap(from, to);
  }
  CALL(cudaGetLastError());
  for (int s = 0; s < steps; ++s) {
    const std::vector<Four<T>> before = bodies;
    for (int i = 0; i < n; ++i) {
      Three<T> force = {0, 0, 0};
      for (int j = 0; j < n; ++j) attract<T>(force, before[i], before[j]);
      move<T>(bodies[i], velocities[i], force, step);
    }
  }
  const std::vector<Four<T>> got = from->read();
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max<double>(largest, std::fabs(got[i].x - bodies[i].x));
    largest = std::max<double>(largest, std::fabs(got[i].y - bodies[i].y));
    largest = std::max<double>(largest, std::fabs(got[i].z - bodies[i].z));
    EXPECT(got[i].w == bodies[i].w);
  }
  return largest;
}

}  // namespace

int main() {
  EXPECT(run<float>(200, 3) < 2e-6);
  EXPECT(run<double>(130, 3) < 1e-14);
  std::printf("n-body: both precisions agree with the host\n");
}
