// The edges of graphs. From toolkit 13 on they may carry data (ports of programmatic launches),
// which orders nothing more than the edge itself.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::Effect;
using ladder::emulator::Graph;
using ladder::emulator::GraphNode;
using ladder::emulator::require;
using ladder::emulator::Runtime;

namespace {

cudaGraphNode_t handle_of(const GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

cudaError_t change_edges(const char* function, cudaGraph_t graph, const cudaGraphNode_t* from,
                         const cudaGraphNode_t* to, std::size_t count, bool add) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(count == 0 || (from != nullptr && to != nullptr));
    const Graph& owner = runtime.streams.find_graph(graph);
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode& before = runtime.streams.find_node(from[i]);
      GraphNode& after = runtime.streams.find_node(to[i]);
      require(owner.holds(before) && owner.holds(after) && &before != &after);
      const bool there =
          std::count(after.dependencies.begin(), after.dependencies.end(), &before) != 0;
      require(there != add);
      if (add) {
        after.dependencies.push_back(&before);
      } else {
        std::erase(after.dependencies, &before);
      }
    }
  });
}

cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                      std::size_t* count) {
  return Runtime::call("cudaGraphGetEdges", Effect::asynchronous, [&](Runtime& runtime) {
    require(count != nullptr && (from == nullptr) == (to == nullptr));
    std::size_t edges = 0;
    for (const auto& node : runtime.streams.find_graph(graph).nodes) {
      for (const GraphNode* before : node->dependencies) {
        if (from != nullptr && edges < *count) {
          from[edges] = handle_of(before);
          to[edges] = handle_of(node.get());
        }
        ++edges;
      }
    }
    *count = from != nullptr ? std::min(*count, edges) : edges;
  });
}

cudaError_t neighbours(const char* function, cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                       std::size_t* count, bool dependencies) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(count != nullptr);
    const GraphNode& node = runtime.streams.find_node(handle);
    std::vector<const GraphNode*> list(node.dependencies.begin(), node.dependencies.end());
    if (!dependencies) {
      list.clear();
      for (const auto& other : runtime.streams.graph_of(node).nodes) {
        const auto& before = other->dependencies;
        if (std::count(before.begin(), before.end(), &node) != 0) list.push_back(other.get());
      }
    }
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) {
        nodes[i] = i < list.size() ? handle_of(list[i]) : nullptr;
      }
      *count = std::min(*count, list.size());
    } else {
      *count = list.size();
    }
  });
}

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  const cudaError_t result = get_edges(graph, from, to, count);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return result;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, std::size_t* count) {
  const cudaError_t result = neighbours("cudaGraphNodeGetDependencies", node, nodes, count, true);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return result;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, std::size_t* count) {
  const cudaError_t result =
      neighbours("cudaGraphNodeGetDependentNodes", node, nodes, count, false);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return result;
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
  return get_edges(graph, from, to, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         std::size_t* count) {
  return neighbours("cudaGraphNodeGetDependencies", node, nodes, count, true);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           std::size_t* count) {
  return neighbours("cudaGraphNodeGetDependentNodes", node, nodes, count, false);
}
#endif

}  // extern "C"
