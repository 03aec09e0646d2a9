// Calls in kernels that are no inlined ones: recursion, function pointers, virtual functions,
// lambdas, objects on the heap, variadic templates.
#include <algorithm>
#include <functional>

#include "arrays.hpp"

namespace {

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Even and odd call each other.
__device__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) {
  return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n) {
  return n != 0 && is_even(n - 1);
}

__global__ void recursion(int* out) {
  const unsigned t = threadIdx.x;
  out[t] = 10 * ackermann(2, t % 4) + (is_even(t) ? 1 : 0);
}

__device__ int add(int a, int b) {
  return a + b;
}
__device__ int subtract(int a, int b) {
  return a - b;
}
__device__ int multiply(int a, int b) {
  return a * b;
}
using Operation = int (*)(int, int);
__device__ Operation table[] = {add, subtract, multiply};
__device__ Operation chosen = multiply;

__global__ void through_table(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[t] = table[t % 3](t, 7) + 1000 * chosen(t, 2);
}

// The host asks for a device function's address and gives it to a kernel.
__global__ void through_argument(Operation operation, int* out) {
  out[threadIdx.x] = operation(static_cast<int>(threadIdx.x), 3);
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual const char* name() const { return "shape"; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float its_side) : side(its_side) {}
  __device__ float area() const override { return side * side; }
  __device__ const char* name() const override { return "square"; }
};
struct Rectangle : Square {
  float height;
  __device__ Rectangle(float width, float its_height) : Square(width), height(its_height) {}
  __device__ float area() const override { return side * height; }
};

__global__ void make_shapes(Shape** shapes, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n) return;
  if (i % 2 == 0)
    shapes[i] = new Square(i + 1.0f);
  else
    shapes[i] = new Rectangle(i + 1.0f, 0.5f);
}
__global__ void measure_shapes(Shape** shapes, int n, float* areas, int* letters) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  areas[i] = shapes[i]->area();
  letters[i] = shapes[i]->name()[0];
}
__global__ void free_shapes(Shape** shapes, int n) {
  if (threadIdx.x < n) delete shapes[threadIdx.x];
}

template <class Function>
__global__ void apply(Function function, int* out) {
  out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

template <class... Values>
__device__ int sum_of(Values... values) {
  return (0 + ... + values);
}
template <class Value, class... More>
__device__ Value largest_of(Value first, More... more) {
  if constexpr (sizeof...(more) == 0) {
    return first;
  } else {
    const Value rest = largest_of(more...);
    return first > rest ? first : rest;
  }
}
__global__ void variadic(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[t] = sum_of(t, 1, 2, 3, 4) * 100 + largest_of(t, 5, 17 - t);
}

// A tree that threads build with device malloc, each its own, and walk without recursion.
struct Node {
  int key;
  Node *left, *right;
};
__device__ Node* insert(Node* root, int key) {
  if (root == nullptr) return new Node{key, nullptr, nullptr};
  (key < root->key ? root->left : root->right) =
      insert(key < root->key ? root->left : root->right, key);
  return root;
}
__device__ int in_order(Node* root, int* out, int at) {
  if (root == nullptr) return at;
  at = in_order(root->left, out, at);
  out[at++] = root->key;
  at = in_order(root->right, out, at);
  delete root;
  return at;
}
__global__ void tree_sort(int* values, int n) {
  int* own = values + n * (blockIdx.x * blockDim.x + threadIdx.x);
  Node* root = nullptr;
  for (int i = 0; i < n; ++i) root = insert(root, own[i]);
  in_order(root, own, 0);
}

int host_ackermann(int m, int n) {
  return m == 0   ? n + 1
         : n == 0 ? host_ackermann(m - 1, 1)
                  : host_ackermann(m - 1, host_ackermann(m, n - 1));
}

}  // namespace

int main() {
  constexpr int n = 32;
  DeviceArray<int> out(n);
  std::vector<int> got;
  recursion<<<1, n>>>(out);
  got = out.read();
  for (int t = 0; t < n; ++t) EXPECT(got[t] == 10 * host_ackermann(2, t % 4) + (t % 2 == 0));

  through_table<<<1, n>>>(out);
  got = out.read();
  for (int t = 0; t < n; ++t) {
    const int results[] = {t + 7, t - 7, t * 7};
    EXPECT(got[t] == results[t % 3] + 2000 * t);
  }
  Operation operation;
  CALL(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
  through_argument<<<1, n>>>(operation, out);
  got = out.read();
  for (int t = 0; t < n; ++t) EXPECT(got[t] == 3 * t);

  DeviceArray<Shape*> shapes(n);
  DeviceArray<float> areas(n);
  make_shapes<<<1, n>>>(shapes, n);
  measure_shapes<<<2, 16>>>(shapes, n, areas, out);
  got = out.read();
  const std::vector<float> measured = areas.read();
  for (int i = 0; i < n; ++i) {
    EXPECT(got[i] == 's');
    EXPECT(measured[i] == (i % 2 == 0 ? (i + 1.0f) * (i + 1.0f) : (i + 1.0f) * 0.5f));
  }
  free_shapes<<<1, n>>>(shapes, n);

  const int offset = 11;
  apply<<<1, n>>>([offset] __device__(int t) { return t * t + offset; }, out);
  got = out.read();
  for (int t = 0; t < n; ++t) EXPECT(got[t] == t * t + offset);
  variadic<<<1, n>>>(out);
  got = out.read();
  for (int t = 0; t < n; ++t) {
    EXPECT(got[t] == (t + 10) * 100 + std::max(std::max(t, 5), 17 - t));
  }

  constexpr int each = 20;
  std::vector<int> values = random_words(each * n);
  DeviceArray<int> trees(values);
  tree_sort<<<2, n / 2>>>(trees, each);
  for (int t = 0; t < n; ++t) std::sort(&values[t * each], &values[t * each] + each);
  EXPECT(trees.read() == values);
  std::printf("calls: all as expected\n");
}
