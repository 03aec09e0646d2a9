// The nodes of graphs: made, changed in a graph, changed in what a graph was instantiated to.
#include <cuda_runtime_api.h>

#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/graph_memory.hpp"
#include "common/emulator/runtime/launch.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::check;
using ladder::emulator::CopyRequest;
using ladder::emulator::Effect;
using ladder::emulator::Event;
using ladder::emulator::Graph;
using ladder::emulator::GraphExec;
using ladder::emulator::GraphNode;
using ladder::emulator::kernel_work;
using ladder::emulator::require;
using ladder::emulator::run;
using ladder::emulator::Runtime;
using ladder::emulator::SetRequest;
using ladder::emulator::symbol_address;
using ladder::emulator::Work;
using ladder::emulator::work_of_allocation;
using ladder::emulator::work_of_release;

namespace {

// What nodes do, by their parameters.

template <class KernelParameters>
Work work_of_kernel(Runtime& runtime, const KernelParameters* p) {
  require(p != nullptr && p->extra == nullptr);
  const dim3 grid(p->gridDim.x, p->gridDim.y, p->gridDim.z);
  const dim3 block(p->blockDim.x, p->blockDim.y, p->blockDim.z);
  return kernel_work(runtime, {p->func, grid, block, p->kernelParams, p->sharedMemBytes});
}

Work work_of_copies(Runtime& runtime, std::vector<CopyRequest> requests) {
  for (const CopyRequest& request : requests) check(runtime, request);
  return [requests = std::move(requests)](Runtime& now) {
    for (const CopyRequest& request : requests) run(now, request);
  };
}

Work work_of_copy(Runtime& runtime, void* to, const void* from, std::size_t bytes,
                  cudaMemcpyKind kind) {
  return work_of_copies(runtime, {{to, bytes, from, bytes, bytes, 1, kind}});
}

Work work_of_copy(Runtime& runtime, const cudaMemcpy3DParms* p) {
  require(p != nullptr);
  return work_of_copies(runtime, ladder::emulator::planes_of(*p));
}

template <class MemsetParameters>
Work work_of_set(Runtime& runtime, const MemsetParameters* p) {
  require(p != nullptr);
  require(p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  const std::size_t width = p->width * p->elementSize;
  const SetRequest request{p->dst, p->pitch,  static_cast<int>(p->value),
                           width,  p->height, p->elementSize};
  check(runtime, request);
  return [request](Runtime& now) { run(now, request); };
}

template <class HostParameters>
Work work_of_host(const HostParameters* p) {
  require(p != nullptr && p->fn != nullptr);
  return [function = p->fn, data = p->userData](Runtime& now) {
    if (!now.faulted()) now.run_callback([&] { function(data); });
  };
}

Work work_of_graph(Runtime& runtime, cudaGraph_t graph) {
  return [work = GraphExec(runtime.streams.find_graph(graph)).work()](Runtime& now) {
    for (const Work& item : work) item(now);
  };
}

Work work_of_record(Runtime& runtime, cudaEvent_t handle) {
  runtime.streams.find_event(handle);
  return [handle](Runtime& now) {
    Event& event = now.streams.find_event(handle);
    event.recorded = true;
    event.time = std::chrono::steady_clock::now();
  };
}

// What comes before the node in time is done when it runs.
Work work_of_wait(Runtime& runtime, cudaEvent_t handle) {
  runtime.streams.find_event(handle);
  return [](Runtime&) {};
}

#if CUDART_VERSION >= 12020
Work work_of(Runtime& runtime, cudaGraphNodeParams& p) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel:
      return work_of_kernel(runtime, &p.kernel);
    case cudaGraphNodeTypeMemcpy:
      return work_of_copy(runtime, &p.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return work_of_set(runtime, &p.memset);
    case cudaGraphNodeTypeHost:
      return work_of_host(&p.host);
    case cudaGraphNodeTypeGraph:
      return work_of_graph(runtime, p.graph.graph);
    case cudaGraphNodeTypeEventRecord:
      return work_of_record(runtime, p.eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return work_of_wait(runtime, p.eventWait.event);
    case cudaGraphNodeTypeMemAlloc:
      return work_of_allocation(runtime, p.alloc.bytesize, "cudaGraphAddNode", p.alloc.dptr);
    case cudaGraphNodeTypeMemFree:
      return work_of_release(p.free.dptr);
    case cudaGraphNodeTypeEmpty:
      return Work();
    default:
      throw ApiError(cudaErrorNotSupported,
                     "graph nodes of semaphores and conditions are not supported");
  }
}
#endif

// Adds a node to a graph; make_work(runtime) tells what it does.
template <class MakeWork>
cudaError_t add_node(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, std::size_t count, cudaGraphNodeType type,
                     MakeWork make_work) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(node != nullptr && (count == 0 || dependencies != nullptr));
    Graph& target = runtime.streams.find_graph(graph);
    std::vector<GraphNode*> before;
    for (std::size_t i = 0; i < count; ++i) {
      before.push_back(&runtime.streams.find_node(dependencies[i]));
      require(target.holds(*before.back()));
    }
    *node = reinterpret_cast<cudaGraphNode_t>(target.add(type, make_work(runtime), before));
  });
}

template <class MakeWork>
cudaError_t change_node(const char* function, cudaGraphNode_t handle, cudaGraphNodeType type,
                        MakeWork make_work) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    GraphNode& node = runtime.streams.find_node(handle);
    require(node.type == type);
    node.work = make_work(runtime);
  });
}

template <class MakeWork>
cudaError_t change_exec(const char* function, cudaGraphExec_t exec, cudaGraphNode_t handle,
                        cudaGraphNodeType type, MakeWork make_work) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    GraphExec::Node& node = runtime.streams.find_exec(exec).find(handle);
    require(node.type == type);
    node.work = make_work(runtime);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add_node("cudaGraphAddEmptyNode", node, graph, dependencies, count, cudaGraphNodeTypeEmpty,
                  [](Runtime&) { return Work(); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* p) {
  return add_node("cudaGraphAddMemAllocNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemAlloc, [&](Runtime& runtime) {
                    require(p != nullptr);
                    return work_of_allocation(runtime, p->bytesize, "cudaGraphAddMemAllocNode",
                                              p->dptr);
                  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
  return add_node("cudaGraphAddMemFreeNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemFree, [&](Runtime&) { return work_of_release(pointer); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* p) {
  return add_node("cudaGraphAddKernelNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeKernel,
                  [&](Runtime& runtime) { return work_of_kernel(runtime, p); });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return change_node("cudaGraphKernelNodeSetParams", node, cudaGraphNodeTypeKernel,
                     [&](Runtime& runtime) { return work_of_kernel(runtime, p); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return change_exec("cudaGraphExecKernelNodeSetParams", exec, node, cudaGraphNodeTypeKernel,
                     [&](Runtime& runtime) { return work_of_kernel(runtime, p); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* p) {
  return add_node("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemcpy,
                  [&](Runtime& runtime) { return work_of_copy(runtime, p); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return change_node("cudaGraphMemcpyNodeSetParams", node, cudaGraphNodeTypeMemcpy,
                     [&](Runtime& runtime) { return work_of_copy(runtime, p); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
  return change_exec("cudaGraphExecMemcpyNodeSetParams", exec, node, cudaGraphNodeTypeMemcpy,
                     [&](Runtime& runtime) { return work_of_copy(runtime, p); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemcpy,
                  [&](Runtime& runtime) { return work_of_copy(runtime, to, from, bytes, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return change_node(
      "cudaGraphMemcpyNodeSetParams1D", node, cudaGraphNodeTypeMemcpy,
      [&](Runtime& runtime) { return work_of_copy(runtime, to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  return change_exec(
      "cudaGraphExecMemcpyNodeSetParams1D", exec, node, cudaGraphNodeTypeMemcpy,
      [&](Runtime& runtime) { return work_of_copy(runtime, to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind) {
  return add_node("cudaGraphAddMemcpyNodeToSymbol", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemcpy, [&](Runtime& runtime) {
                    void* to = symbol_address(runtime, symbol, offset, bytes);
                    return work_of_copy(runtime, to, from, bytes, cudaMemcpyDefault);
                  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind) {
  return add_node("cudaGraphAddMemcpyNodeFromSymbol", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemcpy, [&](Runtime& runtime) {
                    const void* from = symbol_address(runtime, symbol, offset, bytes);
                    return work_of_copy(runtime, to, from, bytes, cudaMemcpyDefault);
                  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* p) {
  return add_node("cudaGraphAddMemsetNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemset,
                  [&](Runtime& runtime) { return work_of_set(runtime, p); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return change_node("cudaGraphMemsetNodeSetParams", node, cudaGraphNodeTypeMemset,
                     [&](Runtime& runtime) { return work_of_set(runtime, p); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  return change_exec("cudaGraphExecMemsetNodeSetParams", exec, node, cudaGraphNodeTypeMemset,
                     [&](Runtime& runtime) { return work_of_set(runtime, p); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* p) {
  return add_node("cudaGraphAddHostNode", node, graph, dependencies, count, cudaGraphNodeTypeHost,
                  [&](Runtime&) { return work_of_host(p); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return change_node("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost,
                     [&](Runtime&) { return work_of_host(p); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return change_exec("cudaGraphExecHostNodeSetParams", exec, node, cudaGraphNodeTypeHost,
                     [&](Runtime&) { return work_of_host(p); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeGraph,
                  [&](Runtime& runtime) { return work_of_graph(runtime, child); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return change_exec("cudaGraphExecChildGraphNodeSetParams", exec, node, cudaGraphNodeTypeGraph,
                     [&](Runtime& runtime) { return work_of_graph(runtime, child); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
  return add_node("cudaGraphAddEventRecordNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeEventRecord,
                  [&](Runtime& runtime) { return work_of_record(runtime, event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
  return add_node("cudaGraphAddEventWaitNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeWaitEvent,
                  [&](Runtime& runtime) { return work_of_wait(runtime, event); });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             std::size_t count, cudaGraphNodeParams* p) {
#elif CUDART_VERSION >= 12020
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, std::size_t count,
                             cudaGraphNodeParams* p) {
#endif
#if CUDART_VERSION >= 12020
  if (p == nullptr) return cudaErrorInvalidValue;
  return add_node("cudaGraphAddNode", node, graph, dependencies, count, p->type,
                  [&](Runtime& runtime) { return work_of(runtime, *p); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return change_node("cudaGraphNodeSetParams", node, p->type,
                     [&](Runtime& runtime) { return work_of(runtime, *p); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return change_exec("cudaGraphExecNodeSetParams", exec, node, p->type,
                     [&](Runtime& runtime) { return work_of(runtime, *p); });
}
#endif

}  // extern "C"
