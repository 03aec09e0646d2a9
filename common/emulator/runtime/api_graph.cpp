// Stream capture, and graphs as a whole: their shape, instantiation, launch. Nodes are made in
// api_graph_nodes.cpp. A graph runs its nodes one after the other in an order that keeps its
// dependencies.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::Effect;
using ladder::emulator::Graph;
using ladder::emulator::GraphNode;
using ladder::emulator::require;
using ladder::emulator::Runtime;
using ladder::emulator::Stream;
using ladder::emulator::Work;

namespace {

cudaError_t instantiate(const char* function, cudaGraphExec_t* exec, cudaGraph_t graph,
                        unsigned long long flags) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(exec != nullptr);
    *exec = runtime.streams.instantiate(runtime.streams.find_graph(graph), flags);
  });
}

cudaError_t begin_capture(cudaStream_t stream, bool per_thread) {
  return Runtime::call("cudaStreamBeginCapture", Effect::asynchronous, [&](Runtime& runtime) {
    runtime.streams.begin_capture(stream, per_thread);
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
  return begin_capture(stream, false);
}
decltype(cudaStreamBeginCapture) cudaStreamBeginCapture_ptsz;
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode) {
  return begin_capture(stream, true);
}

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
    *status = runtime.streams.find(handle).capture_status();
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

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return Runtime::call("cudaGraphClone", Effect::asynchronous, [&](Runtime& runtime) {
    require(clone != nullptr);
    *clone = runtime.streams.adopt(runtime.streams.find_graph(graph).clone());
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* twin, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return Runtime::call("cudaGraphNodeFindInClone", Effect::asynchronous, [&](Runtime& runtime) {
    require(twin != nullptr);
    const GraphNode& node = runtime.streams.find_node(original);
    const auto& nodes = runtime.streams.find_graph(clone).nodes;
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& candidate) {
      return candidate->cloned_from == &node;
    });
    require(found != nodes.end());
    *twin = reinterpret_cast<cudaGraphNode_t>(found->get());
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return Runtime::call("cudaGraphDestroyNode", Effect::release, [&](Runtime& runtime) {
    const GraphNode& node = runtime.streams.find_node(handle);
    runtime.streams.graph_of(node).remove(node);
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

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return Runtime::call("cudaGraphExecUpdate", Effect::asynchronous, [&](Runtime& runtime) {
    require(info != nullptr);
    *info = {};
    info->result = runtime.streams.find_exec(exec).update(runtime.streams.find_graph(graph));
    require(info->result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
  });
}
#endif

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return Runtime::call("cudaGraphNodeSetEnabled", Effect::asynchronous, [&](Runtime& runtime) {
    runtime.streams.find_exec(exec).find(node).enabled = enabled != 0;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return Runtime::call("cudaGraphNodeGetEnabled", Effect::asynchronous, [&](Runtime& runtime) {
    require(enabled != nullptr);
    *enabled = runtime.streams.find_exec(exec).find(node).enabled ? 1 : 0;
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
    const std::vector<Work> work = runtime.streams.find_exec(exec).work();
    for (const Work& item : work) runtime.submit(stream, cudaGraphNodeTypeGraph, item);
  });
}
decltype(cudaGraphLaunch) cudaGraphLaunch_ptsz [[gnu::alias("cudaGraphLaunch")]];

}  // extern "C"
