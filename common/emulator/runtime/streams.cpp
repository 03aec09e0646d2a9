#include "common/emulator/runtime/streams.hpp"

#include <algorithm>
#include <unordered_set>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {
namespace {

template <class T, class Table>
T& found(Table& table, const void* handle) {
  const auto entry = table.find(handle);
  if (entry == table.end()) throw ApiError(cudaErrorInvalidResourceHandle);
  return *entry->second;
}

template <class Handle, class T, class Table>
Handle kept(Table& table, std::unique_ptr<T> object) {
  const Handle handle = reinterpret_cast<Handle>(object.get());
  table.emplace(object.get(), std::move(object));
  return handle;
}

template <class Table>
void erased(Table& table, const void* handle) {
  require(table.erase(handle) == 1, cudaErrorInvalidResourceHandle);
}

}  // namespace

bool Streams::is_default(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

cudaStream_t Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  return kept<cudaStream_t>(streams_, std::move(stream));
}

void Streams::destroy(cudaStream_t handle) {
  erased(streams_, handle);
}

Stream& Streams::find(cudaStream_t handle) {
  return is_default(handle) ? default_ : found<Stream>(streams_, handle);
}

std::vector<Stream*> Streams::ordered_with(cudaStream_t handle) {
  std::vector<Stream*> ordered = {&find(handle)};
  if (is_default(handle)) {
    for (const auto& [key, stream] : streams_)
      if (stream->blocking()) ordered.push_back(stream.get());
  } else if (ordered[0]->blocking()) {
    ordered.push_back(&default_);
  }
  return ordered;
}

cudaEvent_t Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  return kept<cudaEvent_t>(events_, std::move(event));
}

void Streams::destroy_event(cudaEvent_t handle) {
  erased(events_, handle);
}

Event& Streams::find_event(cudaEvent_t handle) {
  return found<Event>(events_, handle);
}

void Streams::begin_capture(cudaStream_t handle, bool per_thread) {
  require(!is_default(handle), cudaErrorStreamCaptureUnsupported);
  Stream& stream = find(handle);
  require(stream.capture == nullptr, cudaErrorIllegalState);
  stream.capture = std::make_shared<Capture>();
  stream.capture->graph = std::make_unique<Graph>();
  stream.capture->origin = &stream;
  stream.capture->id = next_id_++;
  stream.capture->per_thread = per_thread;
  stream.frontier.clear();
}

cudaGraph_t Streams::end_capture(cudaStream_t handle) {
  Stream& stream = find(handle);
  const std::shared_ptr<Capture> capture = stream.capture;
  require(capture != nullptr, cudaErrorIllegalState);
  require(capture->origin == &stream, cudaErrorStreamCaptureUnmatched);

  // A stream that joined the capture has to be waited for by the one where it began.
  bool unjoined = false;
  const auto joined = [&](const GraphNode* node) {
    std::vector<const GraphNode*> open(stream.frontier.begin(), stream.frontier.end());
    std::unordered_set<const GraphNode*> seen;
    while (!open.empty()) {
      const GraphNode* next = open.back();
      open.pop_back();
      if (next == node) return true;
      if (!seen.insert(next).second) continue;
      open.insert(open.end(), next->dependencies.begin(), next->dependencies.end());
    }
    return false;
  };
  for (const auto& [key, other] : streams_) {
    if (other->capture != capture) continue;
    for (const GraphNode* node : other->frontier) unjoined = unjoined || !joined(node);
    other->capture.reset();
    if (other.get() != &stream) other->frontier.clear();
  }
  stream.frontier.clear();
  require(!capture->invalid, cudaErrorStreamCaptureInvalidated);
  require(!unjoined, cudaErrorStreamCaptureUnjoined);
  return adopt(std::move(capture->graph));
}

bool Streams::capturing() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second->capture != nullptr; });
}

bool Streams::capture_blocks_default() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const auto& entry) {
    const Stream& stream = *entry.second;
    return stream.capture != nullptr && stream.blocking() && !stream.capture->per_thread;
  });
}

cudaGraph_t Streams::adopt(std::unique_ptr<Graph> graph) {
  return kept<cudaGraph_t>(graphs_, std::move(graph));
}

template <class Visit>
bool Streams::any_graph(const Visit& visit) {
  for (const auto& [key, graph] : graphs_) {
    if (visit(*graph)) return true;
  }
  for (const auto& [key, stream] : streams_) {
    if (stream->capture != nullptr && visit(*stream->capture->graph)) return true;
  }
  return false;
}

Graph& Streams::find_graph(cudaGraph_t handle) {
  Graph* found = nullptr;
  any_graph([&](Graph& graph) {
    const bool same = static_cast<const void*>(&graph) == static_cast<const void*>(handle);
    if (same) found = &graph;
    return same;
  });
  require(found != nullptr, cudaErrorInvalidResourceHandle);
  return *found;
}

void Streams::destroy_graph(cudaGraph_t handle) {
  erased(graphs_, handle);
}

GraphNode& Streams::find_node(cudaGraphNode_t handle) {
  GraphNode* found = nullptr;
  any_graph([&](Graph& graph) {
    for (const std::unique_ptr<GraphNode>& node : graph.nodes) {
      if (static_cast<const void*>(node.get()) == static_cast<const void*>(handle))
        found = node.get();
    }
    return found != nullptr;
  });
  require(found != nullptr, cudaErrorInvalidResourceHandle);
  return *found;
}

Graph& Streams::graph_of(const GraphNode& node) {
  Graph* found = nullptr;
  any_graph([&](Graph& graph) {
    if (graph.holds(node)) found = &graph;
    return found != nullptr;
  });
  require(found != nullptr, cudaErrorInvalidResourceHandle);
  return *found;
}

cudaGraphExec_t Streams::instantiate(const Graph& graph, unsigned long long flags) {
  return kept<cudaGraphExec_t>(execs_, std::make_unique<GraphExec>(graph, flags));
}

GraphExec& Streams::find_exec(cudaGraphExec_t handle) {
  return found<GraphExec>(execs_, handle);
}

void Streams::destroy_exec(cudaGraphExec_t handle) {
  erased(execs_, handle);
}

void Streams::clear() {
  streams_.clear();
  events_.clear();
  graphs_.clear();
  execs_.clear();
}

}  // namespace ladder::emulator
