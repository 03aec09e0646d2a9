#include "common/emulator/runtime/graph.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {

GraphNode* Graph::add(cudaGraphNodeType type, Work work, std::vector<GraphNode*> dependencies) {
  nodes.push_back(std::make_unique<GraphNode>(
      GraphNode{type, std::move(work), std::move(dependencies), nullptr}));
  return nodes.back().get();
}

bool Graph::holds(const GraphNode& node) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& own) { return own.get() == &node; });
}

void Graph::remove(const GraphNode& node) {
  for (const auto& other : nodes) std::erase(other->dependencies, &node);
  std::erase_if(nodes, [&](const auto& own) { return own.get() == &node; });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const GraphNode*, GraphNode*> twins;
  for (const auto& node : nodes) {
    GraphNode* twin = copy->add(node->type, node->work, {});
    twin->cloned_from = node.get();
    twins[node.get()] = twin;
  }
  for (const auto& node : nodes) {
    for (const GraphNode* before : node->dependencies) {
      twins.at(node.get())->dependencies.push_back(twins.at(before));
    }
  }
  return copy;
}

std::vector<const GraphNode*> Graph::order() const {
  std::vector<const GraphNode*> ordered;
  std::set<const GraphNode*> done;
  const auto ready = [&](const GraphNode& node) {
    return std::all_of(node.dependencies.begin(), node.dependencies.end(),
                       [&](const GraphNode* before) { return done.contains(before); });
  };
  for (std::size_t before = ~std::size_t{0}; ordered.size() < nodes.size();) {
    require(ordered.size() != before);  // else they wait for each other
    before = ordered.size();
    for (const auto& node : nodes) {
      if (done.contains(node.get()) || !ready(*node)) continue;
      ordered.push_back(node.get());
      done.insert(node.get());
    }
  }
  return ordered;
}

GraphExec::GraphExec(const Graph& graph, unsigned long long flags_given) : flags(flags_given) {
  std::map<const GraphNode*, std::size_t> places;
  for (const GraphNode* node : graph.order()) {
    places[node] = nodes.size();
    Node& own = nodes.emplace_back(Node{node, node->type, node->work, true, {}});
    for (const GraphNode* before : node->dependencies)
      own.dependencies.push_back(places.at(before));
    std::sort(own.dependencies.begin(), own.dependencies.end());
  }
}

GraphExec::Node& GraphExec::find(cudaGraphNode_t handle) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
    return static_cast<const void*>(node.made_of) == static_cast<const void*>(handle);
  });
  require(found != nodes.end());
  return *found;
}

std::vector<Work> GraphExec::work() const {
  std::vector<Work> list;
  for (const Node& node : nodes) {
    if (node.enabled && node.work) list.push_back(node.work);
  }
  return list;
}

cudaGraphExecUpdateResult GraphExec::update(const Graph& graph) {
  GraphExec next(graph, flags);
  if (next.nodes.size() != nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (next.nodes[i].type != nodes[i].type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (next.nodes[i].dependencies != nodes[i].dependencies) {
      return cudaGraphExecUpdateErrorTopologyChanged;
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].work = next.nodes[i].work;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace ladder::emulator
