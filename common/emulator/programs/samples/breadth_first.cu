// Breadth-first search with worklists: a queue that threads append to, the next frontier's size read
// back by the host, lists of neighbours that kernels allocate; then the same in one cooperative kernel.
#include <cooperative_groups.h>

#include <deque>

#include "../arrays.hpp"

namespace {

struct Neighbours {
  int count;
  int* list;
};

// Every vertex's list is allocated on the device's heap.
__global__ void build(const int* offsets, const int* edges, int n, Neighbours* graph, int* failed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  Neighbours& own = graph[v];
  own.count = offsets[v + 1] - offsets[v];
  own.list = own.count == 0 ? nullptr : static_cast<int*>(malloc(own.count * sizeof(int)));
  if (own.count != 0 && own.list == nullptr) {
    atomicAdd(failed, 1);
    own.count = 0;
  }
  for (int i = 0; i < own.count; ++i) own.list[i] = edges[offsets[v] + i];
}

__global__ void destroy(Neighbours* graph, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) free(graph[v].list);
}

__device__ void visit(const Neighbours& own, int depth, int* depths, int* next, int* next_size) {
  for (int i = 0; i < own.count; ++i) {
    const int neighbour = own.list[i];
    if (atomicCAS(&depths[neighbour], -1, depth) == -1) {
      next[atomicAdd(next_size, 1)] = neighbour;
    }
  }
}

__global__ void expand(const Neighbours* graph, const int* frontier, int size, int depth,
                       int* depths, int* next, int* next_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) visit(graph[frontier[i]], depth, depths, next, next_size);
}

// All levels in one kernel.
__global__ void search(const Neighbours* graph, int* depths, int* queues, int capacity,
                       int* sizes) {
  const auto grid = cooperative_groups::this_grid();
  const int first = static_cast<int>(grid.thread_rank());
  for (int depth = 1; sizes[(depth - 1) % 3] > 0; ++depth) {
    const int* frontier = queues + (depth - 1) % 2 * capacity;
    int* next = queues + depth % 2 * capacity;
    if (first == 0) sizes[(depth + 1) % 3] = 0;
    for (int i = first; i < sizes[(depth - 1) % 3]; i += static_cast<int>(grid.size())) {
      visit(graph[frontier[i]], depth, depths, next, &sizes[depth % 3]);
    }
    grid.sync();
  }
}

}  // namespace

int main() {
  constexpr int n = 900;
  Random random(17);
  std::vector<int> offsets = {0}, edges;
  for (int v = 0; v < n; ++v) {
    for (int i = static_cast<int>(random() % 4); i > 0; --i) {
      edges.push_back(static_cast<int>(random() % n));
    }
    if (v % 10 != 9 && v + 1 < n) edges.push_back(v + 1);
    offsets.push_back(static_cast<int>(edges.size()));
  }
  std::vector<int> expected(n, -1);
  std::deque<int> open = {0};
  expected[0] = 0;
  for (; !open.empty(); open.pop_front()) {
    for (int e = offsets[open.front()]; e < offsets[open.front() + 1]; ++e) {
      if (expected[edges[e]] != -1) continue;
      expected[edges[e]] = expected[open.front()] + 1;
      open.push_back(edges[e]);
    }
  }

  CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  DeviceArray<int> device_offsets(offsets), device_edges(edges), failed(std::vector<int>{0});
  DeviceArray<Neighbours> graph(n);
  build<<<(n + 63) / 64, 64>>>(device_offsets, device_edges, n, graph, failed);
  EXPECT(failed.read()[0] == 0);

  std::vector<int> start(n, -1);
  start[0] = 0;
  DeviceArray<int> depths(start), a(std::vector<int>(n, 0)), b(n), size(1);
  DeviceArray<int>*frontier = &a, *next = &b;
  int found = 1;
  for (int depth = 1; found > 0; ++depth) {
    CALL(cudaMemset(size, 0, sizeof(int)));
    expand<<<(found + 127) / 128, 128>>>(graph, *frontier, found, depth, depths, *next, size);
    found = size.read()[0];
    std::swap(frontier, next);
  }
  EXPECT(depths.read() == expected);

  DeviceArray<int> again(start), queues(std::vector<int>(2 * n, 0)),
      sizes(std::vector<int>{1, 0, 0});
  const Neighbours* graph_data = graph.data();
  int *depths_data = again, *queues_data = queues, *sizes_data = sizes, capacity = n, per_sm = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, search, 64, 0));
  EXPECT(per_sm >= 1);
  void* arguments[] = {&graph_data, &depths_data, &queues_data, &capacity, &sizes_data};
  CALL(cudaLaunchCooperativeKernel(search, dim3(4), dim3(64), arguments));
  EXPECT(again.read() == expected);
  destroy<<<(n + 63) / 64, 64>>>(graph, n);
  CALL(cudaDeviceSynchronize());
  std::printf("breadth-first search: %d vertices, %zu edges\n", n, edges.size());
}
