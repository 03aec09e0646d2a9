// Stream capture, and graphs of kernels, copies, fills and host functions: captured or built node
// by node, instantiated, launched. A graph runs its nodes one after the other in an order that
// keeps its dependencies.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/launch.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::check;
using ladder::emulator::CopyRequest;
using ladder::emulator::Effect;
using ladder::emulator::Graph;
using ladder::emulator::GraphExec;
using ladder::emulator::GraphNode;
using ladder::emulator::kernel_work;
using ladder::emulator::require;
using ladder::emulator::run;
using ladder::emulator::Runtime;
using ladder::emulator::SetRequest;
using ladder::emulator::Stream;
using ladder::emulator::Work;

namespace {

// Adds a node after its dependencies, which exist already: the order stays runnable.
template <class MakeWork>
cudaError_t add_node(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, std::size_t count, cudaGraphNodeType type,
                     MakeWork make_work) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(node != nullptr && (count == 0 || dependencies != nullptr));
    Graph& target = runtime.streams.find_graph(graph);
    std::vector<GraphNode*> before;
    for (std::size_t i = 0; i < count; ++i)
      before.push_back(&runtime.streams.find_node(dependencies[i]));
    *node = reinterpret_cast<cudaGraphNode_t>(target.add(type, make_work(runtime), before));
  });
}

cudaError_t instantiate(const char* function, cudaGraphExec_t* exec, cudaGraph_t graph,
                        unsigned long long flags) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(exec != nullptr);
    *exec = runtime.streams.instantiate(runtime.streams.find_graph(graph), flags);
  });
}

// The query convention of these calls: no array asks for the count.
template <class Nodes>
void give_nodes(const Nodes& nodes, cudaGraphNode_t* result, std::size_t* count) {
  require(count != nullptr);
  if (result != nullptr) {
    for (std::size_t i = 0; i < *count; ++i)
      result[i] = i < nodes.size() ? reinterpret_cast<cudaGraphNode_t>(nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return Runtime::call("cudaStreamBeginCapture", Effect::asynchronous,
                       [&](Runtime& runtime) { runtime.streams.begin_capture(stream); });
}
decltype(cudaStreamBeginCapture) cudaStreamBeginCapture_ptsz
    [[gnu::alias("cudaStreamBeginCapture")]];

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return Runtime::call("cudaStreamEndCapture", Effect::asynchronous, [&](Runtime& runtime) {
    require(graph != nullptr);
    *graph = nullptr;
    *graph = runtime.streams.end_capture(stream);
  });
}
decltype(cudaStreamEndCapture) cudaStreamEndCapture_ptsz [[gnu::alias("cudaStreamEndCapture")]];

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return Runtime::call("cudaStreamIsCapturing", Effect::asynchronous, [&](Runtime& runtime) {
    require(status != nullptr);
    const Stream& stream = runtime.streams.find(handle);
    *status = stream.capture == nullptr ? cudaStreamCaptureStatusNone
              : stream.capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
  });
}
decltype(cudaStreamIsCapturing) cudaStreamIsCapturing_ptsz [[gnu::alias("cudaStreamIsCapturing")]];

// Every thread captures as if alone: the mode is accepted and given back.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  return Runtime::call("cudaThreadExchangeStreamCaptureMode", Effect::asynchronous, [&](Runtime&) {
    require(mode != nullptr);
    std::swap(*mode, current);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return Runtime::call("cudaGraphCreate", Effect::asynchronous, [&](Runtime& runtime) {
    require(graph != nullptr && flags == 0);
    *graph = runtime.streams.adopt(std::make_unique<Graph>());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return Runtime::call("cudaGraphDestroy", Effect::release,
                       [&](Runtime& runtime) { runtime.streams.destroy_graph(graph); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add_node("cudaGraphAddEmptyNode", node, graph, dependencies, count, cudaGraphNodeTypeEmpty,
                  [](Runtime&) { return Work(); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* p) {
  return add_node("cudaGraphAddKernelNode", node, graph, dependencies, count,
                  cudaGraphNodeTypeKernel, [&](Runtime& runtime) {
                    require(p != nullptr && p->extra == nullptr);
                    return kernel_work(runtime, {p->func, p->gridDim, p->blockDim, p->kernelParams,
                                                 p->sharedMemBytes});
                  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
                  cudaGraphNodeTypeMemcpy, [&](Runtime& runtime) {
                    const CopyRequest request{to, bytes, from, bytes, bytes, 1, kind};
                    check(runtime, request);
                    return Work([request](Runtime& now) { run(now, request); });
                  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* p) {
  return add_node(
      "cudaGraphAddMemsetNode", node, graph, dependencies, count, cudaGraphNodeTypeMemset,
      [&](Runtime& runtime) {
        require(p != nullptr);
        if (p->elementSize != 1)
          throw ApiError(cudaErrorNotSupported, "a memset node of elements wider than a byte");
        const SetRequest request{p->dst, p->pitch, static_cast<int>(p->value), p->width, p->height};
        check(runtime, request);
        return Work([request](Runtime& now) { run(now, request); });
      });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* p) {
  return add_node("cudaGraphAddHostNode", node, graph, dependencies, count, cudaGraphNodeTypeHost,
                  [&](Runtime&) {
                    require(p != nullptr && p->fn != nullptr);
                    return Work([function = p->fn, data = p->userData](Runtime& now) {
                      if (!now.faulted()) now.run_callback([&] { function(data); });
                    });
                  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return Runtime::call("cudaGraphGetNodes", Effect::asynchronous, [&](Runtime& runtime) {
    std::vector<GraphNode*> all;
    for (const auto& node : runtime.streams.find_graph(graph).nodes) all.push_back(node.get());
    give_nodes(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return Runtime::call("cudaGraphGetRootNodes", Effect::asynchronous, [&](Runtime& runtime) {
    std::vector<GraphNode*> roots;
    for (const auto& node : runtime.streams.find_graph(graph).nodes)
      if (node->dependencies.empty()) roots.push_back(node.get());
    give_nodes(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return Runtime::call("cudaGraphNodeGetType", Effect::asynchronous, [&](Runtime& runtime) {
    require(type != nullptr);
    *type = runtime.streams.find_node(node).type;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return instantiate("cudaGraphInstantiate", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  parameters->result_out = cudaGraphInstantiateSuccess;
  return instantiate("cudaGraphInstantiateWithParams", exec, graph, parameters->flags);
}
decltype(cudaGraphInstantiateWithParams) cudaGraphInstantiateWithParams_ptsz
    [[gnu::alias("cudaGraphInstantiateWithParams")]];

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return Runtime::call("cudaGraphExecDestroy", Effect::release,
                       [&](Runtime& runtime) { runtime.streams.destroy_exec(exec); });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return Runtime::call("cudaGraphExecGetFlags", Effect::asynchronous, [&](Runtime& runtime) {
    require(flags != nullptr);
    *flags = runtime.streams.find_exec(exec).flags;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return Runtime::call("cudaGraphUpload", Effect::asynchronous, [&](Runtime& runtime) {
    runtime.streams.find_exec(exec);
    runtime.streams.find(stream);
  });
}
decltype(cudaGraphUpload) cudaGraphUpload_ptsz [[gnu::alias("cudaGraphUpload")]];

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return Runtime::call("cudaGraphLaunch", Effect::asynchronous, [&](Runtime& runtime) {
    // A copy: a host function in the graph may destroy it.
    const std::vector<Work> work = runtime.streams.find_exec(exec).work;
    for (const Work& item : work) runtime.submit(stream, cudaGraphNodeTypeGraph, item);
  });
}
decltype(cudaGraphLaunch) cudaGraphLaunch_ptsz [[gnu::alias("cudaGraphLaunch")]];

}  // extern "C"
