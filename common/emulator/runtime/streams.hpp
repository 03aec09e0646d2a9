// Streams, events and graphs. A stream holds no work (see runtime.hpp), only what it captures and
// which kernels its next work must wait for.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/emulator/runtime/graph.hpp"
#include "common/emulator/runtime/running_kernels.hpp"

namespace ladder::emulator {

struct Stream;

struct Capture {
  std::unique_ptr<Graph> graph;
  Stream* origin = nullptr;
  unsigned long long id = 0;
  bool invalid = false;
  bool per_thread = false;  // begun by code that has no legacy default stream
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;  // those that were set
  unsigned long long id = 0;
  std::shared_ptr<Capture> capture;  // while capturing
  std::vector<GraphNode*> frontier;  // what the next captured node depends on
  std::vector<std::shared_ptr<RunningKernels::Kernel>> waits_for;  // before its next work

  bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
  cudaStreamCaptureStatus capture_status() const {
    if (capture == nullptr) return cudaStreamCaptureStatusNone;
    return capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  }
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  std::vector<std::shared_ptr<RunningKernels::Kernel>> after;  // complete when all of them are
  std::shared_ptr<Capture> capture;                            // recorded in a capturing stream
  std::vector<GraphNode*> frontier;
};

// Owns every live object; a handle that is not one of them is refused with
// cudaErrorInvalidResourceHandle.
class Streams {
 public:
  cudaStream_t create(unsigned flags, int priority);
  void destroy(cudaStream_t handle);
  Stream& find(cudaStream_t handle);  // nullptr, cudaStreamLegacy, cudaStreamPerThread: default
  static bool is_default(cudaStream_t handle);
  // Those whose earlier work comes before later work in it: itself, and between the default stream
  // and the blocking ones each other.
  std::vector<Stream*> ordered_with(cudaStream_t handle);

  cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);
  Event& find_event(cudaEvent_t handle);

  void begin_capture(cudaStream_t handle, bool per_thread);
  cudaGraph_t end_capture(cudaStream_t handle);
  bool capturing() const;  // any stream
  // Whether the default stream's next work would have to wait for a stream that captures.
  bool capture_blocks_default() const;

  cudaGraph_t adopt(std::unique_ptr<Graph> graph);
  Graph& find_graph(cudaGraph_t handle);  // also one that is being captured
  void destroy_graph(cudaGraph_t handle);
  GraphNode& find_node(cudaGraphNode_t handle);
  Graph& graph_of(const GraphNode& node);

  cudaGraphExec_t instantiate(const Graph& graph, unsigned long long flags);
  GraphExec& find_exec(cudaGraphExec_t handle);
  void destroy_exec(cudaGraphExec_t handle);

  void clear();

 private:
  // Calls visit(graph) for all graphs, those that are being captured too, until it says true.
  template <class Visit>
  bool any_graph(const Visit& visit);

  template <class T>
  using Table = std::unordered_map<const void*, std::unique_ptr<T>>;
  Stream default_;
  Table<Stream> streams_;
  Table<Event> events_;
  Table<Graph> graphs_;
  Table<GraphExec> execs_;
  unsigned long long next_id_ = 1;
};

}  // namespace ladder::emulator
