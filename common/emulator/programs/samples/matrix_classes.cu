// Matrix products with classes: views with operators, layouts as types, policies chosen by if
// constexpr, epilogues as function objects, kernels as templates over all of them.
#include <array>
#include <cmath>
#include <type_traits>

#include "../arrays.hpp"

namespace {

struct RowMajor {
  __host__ __device__ static constexpr int offset(int row, int column, int leading) {
    return row * leading + column;
  }
};
struct ColumnMajor {
  __host__ __device__ static constexpr int offset(int row, int column, int leading) {
    return column * leading + row;
  }
};

template <class T, class Layout>
class View {
 public:
  __host__ __device__ View(T* data, int rows, int columns)
      : data_(data),
        rows_(rows),
        columns_(columns),
        leading_(std::is_same_v<Layout, RowMajor> ? columns : rows) {}
  __host__ __device__ int rows() const { return rows_; }
  __host__ __device__ int columns() const { return columns_; }
  __host__ __device__ T& operator()(int row, int column) const {
    return data_[Layout::offset(row, column, leading_)];
  }
  // 0 outside.
  __host__ __device__ std::remove_const_t<T> at(int row, int column) const {
    return row < rows_ && column < columns_ ? (*this)(row, column) : std::remove_const_t<T>{};
  }

 private:
  T* data_;
  int rows_, columns_, leading_;
};

template <class T, int Rows, int Columns>
class Fragment {
 public:
  __device__ T& operator()(int row, int column) { return values_[row * Columns + column]; }
  __device__ void clear() {
    for (T& value : values_) value = T{};
  }

 private:
  T values_[Rows * Columns];
};

struct Identity {
  template <class T>
  __host__ __device__ T operator()(T value) const {
    return value;
  }
};
template <class Inner>
struct Clamped {
  float low, high;
  Inner inner;
  template <class T>
  __host__ __device__ T operator()(T value) const {
    const T result = inner(value);
    return result < static_cast<T>(low)    ? static_cast<T>(low)
           : result > static_cast<T>(high) ? static_cast<T>(high)
                                           : result;
  }
};

template <int ITile, int IPer>
struct Tiling {
  static constexpr int tile = ITile, per_thread = IPer, threads = ITile / IPer;
  static_assert(ITile % IPer == 0);
};

template <class Shape, class T, class LayoutA, class LayoutB, class Epilogue>
__global__ void __launch_bounds__(Shape::threads* Shape::threads)
    product(View<const T, LayoutA> a, View<const T, LayoutB> b, View<T, RowMajor> c,
            Epilogue epilogue) {
  constexpr int tile = Shape::tile, per = Shape::per_thread, threads = Shape::threads;
  __shared__ T left[tile][tile + 1], right[tile][tile + 1];
  Fragment<T, per, per> sums;
  sums.clear();
  const int row = blockIdx.y * tile, column = blockIdx.x * tile;
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int k = 0; k < a.columns(); k += tile) {
    for (int y = ty; y < tile; y += threads) {
      for (int x = tx; x < tile; x += threads) {
        if constexpr (std::is_same_v<LayoutA, RowMajor>) {
          left[y][x] = a.at(row + y, k + x);
        } else {
          left[x][y] = a.at(row + x, k + y);
        }
        right[y][x] = b.at(k + y, column + x);
      }
    }
    __syncthreads();
    for (int i = 0; i < tile; ++i) {
      for (int y = 0; y < per; ++y) {
        for (int x = 0; x < per; ++x) {
          sums(y, x) += left[ty + y * threads][i] * right[i][tx + x * threads];
        }
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < per; ++y) {
    for (int x = 0; x < per; ++x) {
      const int r = row + ty + y * threads, s = column + tx + x * threads;
      if (r < c.rows() && s < c.columns()) c(r, s) = epilogue(sums(y, x));
    }
  }
}

template <class Shape, class T, class LayoutA, class LayoutB, class Epilogue = Identity>
void check(int m, int n, int k, Epilogue epilogue = {}) {
  std::vector<T> a(m * k), b(k * n), expected(m * n);
  Random random(m);
  for (T& value : a) value = static_cast<T>(random() % 16) - 8;
  for (T& value : b) value = static_cast<T>(random() % 16) - 8;
  const View<const T, LayoutA> host_a(a.data(), m, k);
  const View<const T, LayoutB> host_b(b.data(), k, n);
  for (int r = 0; r < m; ++r) {
    for (int s = 0; s < n; ++s) {
      T sum{};
      for (int i = 0; i < k; ++i) sum += host_a(r, i) * host_b(i, s);
      expected[r * n + s] = epilogue(sum);
    }
  }
  DeviceArray<T> device_a(a), device_b(b), device_c(m * n);
  const dim3 grid((n + Shape::tile - 1) / Shape::tile, (m + Shape::tile - 1) / Shape::tile);
  const dim3 block(Shape::threads, Shape::threads);
  product<Shape><<<grid, block>>>(View<const T, LayoutA>(device_a.data(), m, k),
                                  View<const T, LayoutB>(device_b.data(), k, n),
                                  View<T, RowMajor>(device_c.data(), m, n), epilogue);
  CALL(cudaGetLastError());
  EXPECT(device_c.read() == expected);
}

}  // namespace

int main() {
  check<Tiling<16, 1>, float, RowMajor, RowMajor>(33, 20, 45);
  check<Tiling<32, 4>, float, ColumnMajor, RowMajor>(64, 64, 64);
  check<Tiling<16, 2>, double, RowMajor, ColumnMajor>(17, 31, 16);
  check<Tiling<8, 1>, int, ColumnMajor, ColumnMajor>(9, 7, 30,
                                                     Clamped<Identity>{-50.0f, 100.0f, {}});
  std::printf("matrix classes: all products agree\n");
}
