// What a stream has captured so far, for libraries that look before they add work of their own.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/runtime/runtime.hpp"

using ladder::emulator::Effect;
using ladder::emulator::Graph;
using ladder::emulator::GraphNode;
using ladder::emulator::require;
using ladder::emulator::Runtime;
using ladder::emulator::Stream;
using ladder::emulator::Streams;

namespace {

// Where to put each thing that is wanted; nullptr: not wanted.
struct Wanted {
  cudaStreamCaptureStatus* status = nullptr;
  unsigned long long* id = nullptr;
  cudaGraph_t* graph = nullptr;
  const cudaGraphNode_t** dependencies = nullptr;
  std::size_t* count = nullptr;
};

cudaError_t tell(const char* function, cudaStream_t handle, const Wanted& wanted) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(wanted.status != nullptr);
    // The default stream would have to wait for the one that captures.
    require(!Streams::is_default(handle) || handle == cudaStreamPerThread ||
                !runtime.streams.capture_blocks_default(),
            cudaErrorStreamCaptureImplicit);
    Stream& stream = runtime.streams.find(handle);
    *wanted.status = stream.capture_status();
    if (*wanted.status != cudaStreamCaptureStatusActive) return;
    if (wanted.id != nullptr) *wanted.id = stream.capture->id;
    if (wanted.graph != nullptr)
      *wanted.graph = reinterpret_cast<cudaGraph_t>(stream.capture->graph.get());
    // A node's handle is its address, so the list can be shown as it is.
    if (wanted.dependencies != nullptr) {
      require(wanted.count != nullptr);
      *wanted.dependencies = reinterpret_cast<const cudaGraphNode_t*>(stream.frontier.data());
    }
    if (wanted.count != nullptr) *wanted.count = stream.frontier.size();
  });
}

cudaError_t update(const char* function, cudaStream_t handle, const cudaGraphNode_t* nodes,
                   std::size_t count, unsigned flags) {
  return Runtime::call(function, Effect::asynchronous, [&](Runtime& runtime) {
    require(count == 0 || nodes != nullptr);
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies);
    Stream& stream = runtime.streams.find(handle);
    require(stream.capture_status() == cudaStreamCaptureStatusActive, cudaErrorIllegalState);
    std::vector<GraphNode*> frontier;
    if (flags == cudaStreamAddCaptureDependencies) frontier = stream.frontier;
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode& node = runtime.streams.find_node(nodes[i]);
      require(stream.capture->graph->holds(node));
      if (std::count(frontier.begin(), frontier.end(), &node) == 0) frontier.push_back(&node);
    }
    stream.frontier = std::move(frontier);
  });
}

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** data, std::size_t* count) {
  if (data != nullptr) *data = nullptr;  // edges carry none
  return tell("cudaStreamGetCaptureInfo", stream, {status, id, graph, dependencies, count});
}
decltype(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_ptsz
    [[gnu::alias("cudaStreamGetCaptureInfo")]];

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned flags) {
  return update("cudaStreamUpdateCaptureDependencies", stream, nodes, count, flags);
}
#else
#undef cudaStreamGetCaptureInfo  // a macro for the second of these
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id) {
  return tell("cudaStreamGetCaptureInfo", stream, {status, id});
}
decltype(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_ptsz
    [[gnu::alias("cudaStreamGetCaptureInfo")]];

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                std::size_t count, unsigned flags) {
  return update("cudaStreamUpdateCaptureDependencies", stream, nodes, count, flags);
}
#endif
decltype(cudaStreamUpdateCaptureDependencies) cudaStreamUpdateCaptureDependencies_ptsz
    [[gnu::alias("cudaStreamUpdateCaptureDependencies")]];

// What toolkit 12 calls them; 13's library has neither, and headers that know of edges' data are 12.3's
// and later.
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, std::size_t* count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, std::size_t* count) {
  return tell("cudaStreamGetCaptureInfo_v2", stream, {status, id, graph, dependencies, count});
}
decltype(cudaStreamGetCaptureInfo_v2) cudaStreamGetCaptureInfo_v2_ptsz
    [[gnu::alias("cudaStreamGetCaptureInfo_v2")]];

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, const void** data,
                                        std::size_t* count);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, const void** data,
                                        std::size_t* count) {
  if (data != nullptr) *data = nullptr;
  return tell("cudaStreamGetCaptureInfo_v3", stream, {status, id, graph, dependencies, count});
}
decltype(cudaStreamGetCaptureInfo_v3) cudaStreamGetCaptureInfo_v3_ptsz
    [[gnu::alias("cudaStreamGetCaptureInfo_v3")]];

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                   const void* data, std::size_t count,
                                                   unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                   const void*, std::size_t count, unsigned flags) {
  return update("cudaStreamUpdateCaptureDependencies_v2", stream, nodes, count, flags);
}
decltype(cudaStreamUpdateCaptureDependencies_v2) cudaStreamUpdateCaptureDependencies_v2_ptsz
    [[gnu::alias("cudaStreamUpdateCaptureDependencies_v2")]];

}  // extern "C"
