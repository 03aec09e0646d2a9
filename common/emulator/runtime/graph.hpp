// Graphs of work: nodes with dependencies, and what they become when they are instantiated.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

namespace ladder::emulator {

class Runtime;
using Work = std::function<void(Runtime&)>;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Work work;
  std::vector<GraphNode*> dependencies;
  const GraphNode* cloned_from = nullptr;  // an identity: the graph may be gone
};

// `cudaGraph_t` is a pointer to it.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  // as they were added

  GraphNode* add(cudaGraphNodeType type, Work work, std::vector<GraphNode*> dependencies);
  bool holds(const GraphNode& node) const;
  // With every edge from or to it.
  void remove(const GraphNode& node);
  std::unique_ptr<Graph> clone() const;
  // Each node after those it depends on. Throws ApiError(cudaErrorInvalidValue) for a cycle.
  std::vector<const GraphNode*> order() const;
};

// A graph ready to be launched: its nodes in an order in which they can run.
struct GraphExec {
  explicit GraphExec(const Graph& graph, unsigned long long flags_given = 0);

  struct Node {
    const GraphNode* made_of = nullptr;  // an identity: the graph may be gone
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    Work work;
    bool enabled = true;
    std::vector<std::size_t> dependencies;  // by place in `nodes`
  };
  Node& find(cudaGraphNode_t handle);  // throws ApiError
  // What is to be done, in order.
  std::vector<Work> work() const;
  // Takes over the work of a graph of the same shape; else says what differs.
  cudaGraphExecUpdateResult update(const Graph& graph);

  std::vector<Node> nodes;
  unsigned long long flags = 0;
};

}  // namespace ladder::emulator
