// Tensor cores: whole products from matrices in memory, through ldmatrix and mma and through wmma in
// its shapes, types and layouts. Elements are small integers, so every sum is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <vector>

#include "expect.hpp"

namespace wmma = nvcuda::wmma;

// ---- ldmatrix and mma -----------------------------------------------------------------------

// (M,K) x (K,N), all by rows, a block of one warp for each 16 x 8 tile of C.
__global__ void by_mma(const half* a, const half* b, float* c, int N, int K) {
  __shared__ __align__(16) half a_tile[16][24], b_tile[16][8];  // +8: another bank for each row
  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
  float sum[4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int i = lane; i < 16 * 16; i += 32)
      a_tile[i / 16][i % 16] = a[(row + i / 16) * K + k + i % 16];
    for (int i = lane; i < 16 * 8; i += 32)
      b_tile[i / 8][i % 8] = b[(k + i / 8) * N + column + i % 8];
    __syncwarp();
    unsigned fa[4], fb[2];
    const unsigned from_a = __cvta_generic_to_shared(&a_tile[lane % 16][lane / 16 * 8]);
    const unsigned from_b = __cvta_generic_to_shared(&b_tile[lane % 16][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(from_b));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i) {
    c[(row + lane / 4 + i / 2 * 8) * N + column + lane % 4 * 2 + i % 2] = sum[i];
  }
}

// ---- wmma -----------------------------------------------------------------------------------

// What memory holds of an element: tf32 lies in memory as float.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

// d = a * b + 2 * c of one tile. Leading dimensions are wider than the matrices.
template <int M, int N, int K, class T, class Acc, class LayoutA, class LayoutB, bool Shared>
__global__ void by_wmma(const typename Stored<T>::type* a, int lda,
                        const typename Stored<T>::type* b, int ldb, const Acc* c, Acc* d, int ldc,
                        wmma::layout_t layout_c) {
  extern __shared__ __align__(32) unsigned char bytes[];
  auto* tile = reinterpret_cast<typename Stored<T>::type*>(bytes);
  const bool by_rows = std::is_same<LayoutA, wmma::row_major>::value;
  const int elements = (by_rows ? M : K) * lda;
  for (int i = threadIdx.x; Shared && i < elements; i += 32) tile[i] = a[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  wmma::load_matrix_sync(fa, Shared ? tile : a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, layout_c);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, ldc, layout_c);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* device = nullptr;
  CALL(cudaMalloc(&device, values.size() * sizeof(T)));
  CALL(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int element(int i, int j) {
  return (i * 7 + j * 3 + i * j) % 9;
}

template <class T>
T made(int value) {
  return static_cast<T>(static_cast<float>(value));
}

template <int M, int N, int K, class T, class Acc, class LayoutA, class LayoutB,
          bool Shared = false>
void check(wmma::layout_t layout_c) {
  using Element = typename Stored<T>::type;
  constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
  const bool c_rows = layout_c == wmma::mem_row_major;
  const int pad = 16;
  const int lda = (a_rows ? K : M) + pad, ldb = (b_rows ? N : K) + pad,
            ldc = (c_rows ? N : M) + pad;
  std::vector<Element> a((M + K) * lda), b((N + K) * ldb);
  std::vector<Acc> c((M + N) * ldc), d(c.size());
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < K; ++k)
      a[a_rows ? i * lda + k : k * lda + i] = made<Element>(element(i, k));
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < N; ++j)
      b[b_rows ? k * ldb + j : j * ldb + k] = made<Element>(element(k, j));
  const auto in_c = [&](int i, int j) { return c_rows ? i * ldc + j : j * ldc + i; };
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) c[in_c(i, j)] = made<Acc>(element(j, i));
  Element *da = on_device(a), *db = on_device(b);
  Acc *dc = on_device(c), *dd = on_device(d);
  by_wmma<M, N, K, T, Acc, LayoutA, LayoutB, Shared>
      <<<1, 32, Shared ? sizeof(Element) * a.size() : 0>>>(da, lda, db, ldb, dc, dd, ldc, layout_c);
  CALL(cudaMemcpy(d.data(), dd, d.size() * sizeof(Acc), cudaMemcpyDeviceToHost));
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      int sum = 2 * element(j, i);
      for (int k = 0; k < K; ++k) sum += element(i, k) * element(k, j);
      EXPECT(static_cast<float>(d[in_c(i, j)]) == static_cast<float>(sum));
    }
  }
  CALL(cudaFree(da));
  CALL(cudaFree(db));
  CALL(cudaFree(dc));
  CALL(cudaFree(dd));
}

int main() {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  constexpr auto rows = wmma::mem_row_major, columns = wmma::mem_col_major;

  const int M = 32, N = 16, K = 48;
  std::vector<half> a(M * K), b(K * N);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = made<half>(element(i / K, i % K));
  for (int i = 0; i < K * N; ++i) b[i] = made<half>(element(i / N, i % N));
  half *da = on_device(a), *db = on_device(b);
  float* dc = on_device(c);
  by_mma<<<dim3(N / 8, M / 16), 32>>>(da, db, dc, N, K);
  CALL(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      int sum = 0;
      for (int k = 0; k < K; ++k) sum += element(i, k) * element(k, j);
      EXPECT(c[i * N + j] == static_cast<float>(sum));
    }
  }
  std::printf("matrices: mma\n");

  check<16, 16, 16, half, float, Row, Row>(rows);
  check<16, 16, 16, half, float, Row, Column, true>(columns);
  check<16, 16, 16, half, float, Column, Row, true>(rows);
  check<16, 16, 16, half, float, Column, Column>(columns);
  check<32, 8, 16, half, half, Row, Column>(rows);
  check<8, 32, 16, half, half, Column, Row>(columns);
  check<32, 8, 16, __nv_bfloat16, float, Column, Row, true>(rows);
  check<8, 32, 16, __nv_bfloat16, float, Row, Column>(rows);
  check<16, 16, 16, __nv_bfloat16, float, Row, Row>(columns);
  check<16, 16, 8, wmma::precision::tf32, float, Row, Column>(rows);
  check<16, 16, 8, wmma::precision::tf32, float, Column, Row, true>(columns);
  check<8, 8, 4, double, double, Row, Column>(rows);
  check<8, 8, 4, double, double, Column, Row>(columns);
  check<16, 16, 16, signed char, int, Row, Column>(rows);
  check<32, 8, 16, unsigned char, int, Row, Column, true>(columns);
  check<8, 32, 16, signed char, int, Column, Row>(rows);
  std::printf("matrices: wmma\n");
}
