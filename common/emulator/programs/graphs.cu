// Graphs: built of every kind of node, changed, updated, cloned, launched many times.
#include <algorithm>
#include <numeric>

#include "arrays.hpp"

namespace {

__device__ int scale = 1;

__global__ void multiply_add(int* values, int n, int factor, int term) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] = values[i] * factor * scale + term;
}

void add_one(void* counter) {
  ++*static_cast<int*>(counter);
}
void add_ten(void* counter) {
  *static_cast<int*>(counter) += 10;
}

constexpr int n = 100;

struct Arguments {
  int* values;
  int count, factor, term;
  void* pointers[4] = {&values, &count, &factor, &term};

  Arguments(int* to, int its_factor, int its_term)
      : values(to), count(n), factor(its_factor), term(its_term) {}
  cudaKernelNodeParams node() {
    cudaKernelNodeParams p = {};
    p.func = reinterpret_cast<void*>(multiply_add);
    p.gridDim = dim3(4);
    p.blockDim = dim3(32);
    p.kernelParams = pointers;
    return p;
  }
};

cudaMemsetParams fill_words(int* to, unsigned value) {
  cudaMemsetParams p = {};
  p.dst = to;
  p.elementSize = 4;
  p.value = value;
  p.width = n;
  p.height = 1;
  return p;
}

// fill -> kernel -> copy -> host function, then changes of each in the executable graph.
void built(int* device, std::vector<int>& host) {
  cudaGraph_t graph;
  cudaGraphNode_t fill, kernel, copy, call;
  int calls = 0;
  Arguments arguments(device, 2, 3);
  CALL(cudaGraphCreate(&graph, 0));
  cudaMemsetParams words = fill_words(device, 5);
  cudaKernelNodeParams node = arguments.node();
  cudaHostNodeParams function = {add_one, &calls};
  // Added in another order than they run in.
  CALL(cudaGraphAddHostNode(&call, graph, nullptr, 0, &function));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host.data(), device, n * sizeof(int),
                                cudaMemcpyDeviceToHost));
  CALL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &words));
  CALL(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &node));
  cudaGraphNode_t from[] = {kernel, copy}, to[] = {copy, call};
#if CUDART_VERSION >= 13000
  CALL(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
#else
  CALL(cudaGraphAddDependencies(graph, from, to, 2));
#endif
  cudaGraphNodeType type;
  CALL(cudaGraphNodeGetType(fill, &type));
  EXPECT(type == cudaGraphNodeTypeMemset);

  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(host == std::vector<int>(n, 13) && calls == 3);

  words = fill_words(device, 7);
  CALL(cudaGraphExecMemsetNodeSetParams(exec, fill, &words));
  Arguments others(device, 10, 1);
  node = others.node();
  CALL(cudaGraphExecKernelNodeSetParams(exec, kernel, &node));
  function.fn = add_ten;
  CALL(cudaGraphExecHostNodeSetParams(exec, call, &function));
  CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(host == std::vector<int>(n, 71) && calls == 13);
  CALL(cudaGraphNodeSetEnabled(exec, kernel, 0));
  CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(host == std::vector<int>(n, 7) && calls == 23);

  // The graph itself is as it was; a change there is taken over by an update.
  Arguments third(device, 1, 100);
  node = third.node();
  CALL(cudaGraphKernelNodeSetParams(kernel, &node));
  cudaGraphExecUpdateResultInfo info;
  CALL(cudaGraphExecUpdate(exec, graph, &info));
  CALL(cudaGraphNodeSetEnabled(exec, kernel, 1));
  CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(host == std::vector<int>(n, 105) && calls == 24);

  // Another shape is refused.
  cudaGraph_t smaller;
  CALL(cudaGraphClone(&smaller, graph));
  std::size_t count = 0;
  CALL(cudaGraphGetNodes(smaller, nullptr, &count));
  EXPECT(count == 4);
  std::vector<cudaGraphNode_t> nodes(count);
  CALL(cudaGraphGetNodes(smaller, nodes.data(), &count));
  CALL(cudaGraphDestroyNode(nodes[0]));
  EXPECT(cudaGraphExecUpdate(exec, smaller, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);

  // A cycle cannot run.
#if CUDART_VERSION >= 13000
  CALL(cudaGraphAddDependencies(graph, &call, &fill, nullptr, 1));
#else
  CALL(cudaGraphAddDependencies(graph, &call, &fill, 1));
#endif
  cudaGraphExec_t impossible;
  EXPECT(cudaGraphInstantiate(&impossible, graph, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(smaller));
  CALL(cudaGraphDestroy(graph));
}

// A graph inside a graph, symbols, events, nodes by their type.
void nested(int* device, std::vector<int>& host) {
  cudaGraph_t inner, outer;
  cudaGraphNode_t node, child, event_node;
  Arguments arguments(device, 2, 1);
  CALL(cudaGraphCreate(&inner, 0));
#if CUDART_VERSION >= 13000
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = reinterpret_cast<void*>(multiply_add);
  p.kernel.gridDim = dim3(4);
  p.kernel.blockDim = dim3(32);
  p.kernel.kernelParams = arguments.pointers;
  CALL(cudaGraphAddNode(&node, inner, nullptr, nullptr, 0, &p));
#else
  cudaKernelNodeParams p = arguments.node();
  CALL(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &p));
#endif
  CALL(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t set, fill, first;
  const int three = 3;
  const cudaMemsetParams words = fill_words(device, 1);
  CALL(cudaGraphAddMemcpyNodeToSymbol(&set, outer, nullptr, 0, scale, &three, sizeof three, 0,
                                      cudaMemcpyHostToDevice));
  CALL(cudaGraphAddMemsetNode(&fill, outer, &set, 1, &words));
  CALL(cudaGraphAddChildGraphNode(&first, outer, &fill, 1, inner));
  CALL(cudaGraphAddChildGraphNode(&child, outer, &first, 1, inner));
  cudaEvent_t event;
  CALL(cudaEventCreate(&event));
  CALL(cudaGraphAddEventRecordNode(&event_node, outer, &child, 1, event));
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, outer, 0));
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaEventSynchronize(event));
  CALL(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host == std::vector<int>(n, (1 * 2 * 3 + 1) * 2 * 3 + 1));
  const int one = 1;
  CALL(cudaMemcpyToSymbol(scale, &one, sizeof one));
  CALL(cudaStreamDestroy(stream));
  CALL(cudaEventDestroy(event));
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(outer));
  CALL(cudaGraphDestroy(inner));
}

// Captured anew for each step, and updated into one executable graph.
void captured(int* device, std::vector<int>& host) {
  cudaStream_t stream;
  CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraphExec_t exec = nullptr;
  CALL(cudaMemset(device, 0, n * sizeof(int)));
  for (int step = 1; step <= 4; ++step) {
    cudaGraph_t graph;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    multiply_add<<<4, 32, 0, stream>>>(device, n, 1, step);
    multiply_add<<<4, 32, 0, stream>>>(device, n, 2, 0);
    CALL(cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    if (exec == nullptr) {
      CALL(cudaGraphInstantiate(&exec, graph, 0));
    } else {
      cudaGraphExecUpdateResultInfo info;
      CALL(cudaGraphExecUpdate(exec, graph, &info));
    }
    CALL(cudaGraphDestroy(graph));
    CALL(cudaGraphLaunch(exec, stream));
  }
  CALL(cudaStreamSynchronize(stream));
  EXPECT(host == std::vector<int>(n, (((1 * 2 + 2) * 2 + 3) * 2 + 4) * 2));
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaStreamDestroy(stream));
}

// What a graph allocates has one address; each launch fills it anew.
void check_launches(cudaGraph_t graph, const std::vector<int>& host, std::vector<int>& out) {
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 3; ++launch) {
    std::fill(out.begin(), out.end(), 0);
    CALL(cudaGraphLaunch(exec, nullptr));
    CALL(cudaDeviceSynchronize());
    EXPECT(out == host);
  }
  CALL(cudaGraphExecDestroy(exec));
}

void allocating(std::vector<int>& out) {
  const std::vector<int> expected(n, 5 * 2 + 3);
  const std::size_t bytes = n * sizeof(int);
  // By a stream that captures.
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* memory = nullptr;
  CALL(cudaMallocAsync(&memory, bytes, stream));
  EXPECT(memory != nullptr);
  CALL(cudaMemset2DAsync(memory, bytes, 0, bytes, 1, stream));
  multiply_add<<<4, 32, 0, stream>>>(memory, n, 0, 5);
  multiply_add<<<4, 32, 0, stream>>>(memory, n, 2, 3);
  CALL(cudaMemcpyAsync(out.data(), memory, bytes, cudaMemcpyDeviceToHost, stream));
  CALL(cudaFreeAsync(memory, stream));
  cudaGraph_t graph;
  CALL(cudaStreamEndCapture(stream, &graph));
  check_launches(graph, expected, out);
  CALL(cudaGraphDestroy(graph));

  // By nodes; the program frees what the graph did not.
  cudaGraphNode_t allocation, fill, kernel, copy, release, twin;
  CALL(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams wanted = {};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location = {cudaMemLocationTypeDevice, 0};
  wanted.bytesize = bytes;
  CALL(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &wanted));
  memory = static_cast<int*>(wanted.dptr);
  Arguments arguments(memory, 2, 3);
  cudaMemsetParams words = fill_words(memory, 5);
  cudaKernelNodeParams node = arguments.node();
  CALL(cudaGraphAddMemsetNode(&fill, graph, &allocation, 1, &words));
  CALL(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &node));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out.data(), memory, bytes,
                                cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 2; ++launch) {
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaFreeAsync(memory, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(out == expected);
  }
  EXPECT(cudaFree(memory) == cudaErrorInvalidValue);  // it is free
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, memory));
  EXPECT(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, out.data()) == cudaErrorInvalidValue);
  check_launches(graph, expected, out);

  // A clone's nodes are found by those they were made of.
  cudaGraph_t clone;
  cudaGraphNodeType type;
  CALL(cudaGraphClone(&clone, graph));
  CALL(cudaGraphNodeFindInClone(&twin, kernel, clone));
  CALL(cudaGraphNodeGetType(twin, &type));
  EXPECT(twin != kernel && type == cudaGraphNodeTypeKernel);
  EXPECT(cudaGraphNodeFindInClone(&twin, kernel, graph) == cudaErrorInvalidValue);
  cudaGetLastError();
  CALL(cudaGraphDestroy(graph));
  check_launches(clone, expected, out);
  CALL(cudaGraphDestroy(clone));
  CALL(cudaStreamDestroy(stream));
}

}  // namespace

int main() {
  DeviceArray<int> device(n);
  std::vector<int> host(n);
  built(device, host);
  nested(device, host);
  captured(device, host);
  allocating(host);
  std::printf("graphs: all as expected\n");
}
