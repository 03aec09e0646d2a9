// Streams, events, host functions, and a graph captured from two streams.
#include "expect.hpp"

__global__ void add(int* value, int amount) {
  *value += amount;
}

static void count_call(void* counter) {
  ++*static_cast<int*>(counter);
}
static void count_status(cudaStream_t, cudaError_t status, void* counter) {
  if (status == cudaSuccess) ++*static_cast<int*>(counter);
}

static int read_int(const int* device) {
  int value = -1;
  CALL(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// What a program sets it reads back, whatever the hint does for the caches.
static void stream_attributes(int* value) {
  cudaStream_t plain, windowed;
  CALL(cudaStreamCreateWithPriority(&plain, cudaStreamDefault, -2));
  CALL(cudaStreamCreate(&windowed));
  cudaStreamAttrValue set = {};
  set.accessPolicyWindow.base_ptr = value;
  set.accessPolicyWindow.num_bytes = sizeof(int);
  set.accessPolicyWindow.hitRatio = 0.5f;
  set.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  set.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CALL(cudaStreamSetAttribute(windowed, cudaStreamAttributeAccessPolicyWindow, &set));
  cudaStreamAttrValue read = {};
  CALL(cudaStreamGetAttribute(windowed, cudaStreamAttributeAccessPolicyWindow, &read));
  EXPECT(read.accessPolicyWindow.base_ptr == value && read.accessPolicyWindow.hitRatio == 0.5f);
  CALL(cudaStreamGetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &read));
  EXPECT(read.accessPolicyWindow.num_bytes == 0);
  CALL(cudaStreamGetAttribute(plain, cudaStreamAttributePriority, &read));
  EXPECT(read.priority == -2);
  CALL(cudaStreamCopyAttributes(plain, windowed));
  CALL(cudaStreamGetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &read));
  EXPECT(read.accessPolicyWindow.num_bytes == sizeof(int));

  set.accessPolicyWindow.hitRatio = 1.5f;
  EXPECT(cudaStreamSetAttribute(windowed, cudaStreamAttributeAccessPolicyWindow, &set) ==
         cudaErrorInvalidValue);
  EXPECT(cudaStreamGetAttribute(windowed, cudaLaunchAttributeCooperative, &read) ==
         cudaErrorInvalidValue);
  cudaGetLastError();
  CALL(cudaMemsetAsync(value, 0, sizeof(int), windowed));
  add<<<1, 1, 0, windowed>>>(value, 3);
  CALL(cudaStreamSynchronize(windowed));
  EXPECT(read_int(value) == 3);
  CALL(cudaStreamDestroy(plain));
  CALL(cudaStreamDestroy(windowed));
}

static void streams_and_events(int* value) {
  cudaStream_t first, second;
  cudaEvent_t start, stop, untimed;
  CALL(cudaStreamCreate(&first));
  CALL(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CALL(cudaEventCreate(&start));
  CALL(cudaEventCreate(&stop));
  CALL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));

  float elapsed = -1;
  EXPECT(cudaEventElapsedTime(&elapsed, start, stop) == cudaErrorInvalidResourceHandle);
  CALL(cudaMemsetAsync(value, 0, sizeof(int), first));
  CALL(cudaEventRecord(start, first));
  add<<<1, 1, 0, first>>>(value, 1);
  CALL(cudaEventRecord(untimed, first));
  CALL(cudaStreamWaitEvent(second, untimed, 0));
  add<<<1, 1, 0, second>>>(value, 10);
  int calls = 0;
  CALL(cudaLaunchHostFunc(second, count_call, &calls));
  CALL(cudaStreamAddCallback(second, count_status, &calls, 0));
  CALL(cudaStreamSynchronize(second));
  CALL(cudaEventRecord(stop, second));
  CALL(cudaEventSynchronize(stop));
  CALL(cudaEventQuery(stop));
  CALL(cudaStreamQuery(first));
  CALL(cudaEventElapsedTime(&elapsed, start, stop));
  EXPECT(elapsed >= 0);
  EXPECT(cudaEventElapsedTime(&elapsed, start, untimed) == cudaErrorInvalidResourceHandle);
  EXPECT(calls == 2);
  EXPECT(read_int(value) == 11);

  unsigned flags = 0;
  CALL(cudaStreamGetFlags(second, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  CALL(cudaEventDestroy(start));
  CALL(cudaEventDestroy(stop));
  CALL(cudaEventDestroy(untimed));
  CALL(cudaStreamDestroy(first));
  CALL(cudaStreamDestroy(second));
}

#if CUDART_VERSION >= 13000
// What a library may ask of a stream that captures, and do to it.
static void capture_information(int* value) {
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  cudaStreamCaptureStatus status;
  CALL(cudaStreamGetCaptureInfo(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  CALL(cudaMemset(value, 0, sizeof(int)));

  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1, 0, stream>>>(value, 1);
  unsigned long long id = 0, again = 0;
  cudaGraph_t graph = nullptr, captured = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  CALL(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, nullptr, &count));
  EXPECT(status == cudaStreamCaptureStatusActive);
  EXPECT(id != 0 && graph != nullptr && count == 1);
  cudaGraphNodeType type;
  CALL(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT(type == cudaGraphNodeTypeKernel);
  // A node of one's own, for which the next work waits.
  cudaGraphNode_t own;
  CALL(cudaGraphAddEmptyNode(&own, graph, nodes, count));
  CALL(cudaStreamUpdateCaptureDependencies(stream, &own, nullptr, 1,
                                           cudaStreamSetCaptureDependencies));
  CALL(cudaStreamGetCaptureInfo(stream, &status, &again, &graph, &nodes, nullptr, &count));
  EXPECT(again == id && count == 1 && nodes[0] == own);
  add<<<1, 1, 0, stream>>>(value, 10);
  CALL(cudaStreamEndCapture(stream, &captured));
  EXPECT(captured == graph);
  CALL(cudaGraphGetNodes(captured, nullptr, &count));
  EXPECT(count == 3);
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, captured, 0));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaStreamSynchronize(stream));
  EXPECT(read_int(value) == 11);
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(captured));
  CALL(cudaStreamDestroy(stream));
}
#endif

static void captured_graph(int* value) {
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaStreamCreate(&side));
  CALL(cudaEventCreate(&fork));
  CALL(cudaEventCreate(&join));
  CALL(cudaMemset(value, 0, sizeof(int)));

  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(value, 1);
  CALL(cudaEventRecord(fork, stream));
  CALL(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, 1, 0, side>>>(value, 100);
  CALL(cudaEventRecord(join, side));
  CALL(cudaStreamWaitEvent(stream, join, 0));
  cudaStreamCaptureStatus status;
  CALL(cudaStreamIsCapturing(side, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  CALL(cudaStreamEndCapture(stream, &graph));
  CALL(cudaStreamIsCapturing(side, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);

  EXPECT(read_int(value) == 0);  // captured, not run
  size_t nodes = 0, roots = 0;
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  CALL(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 2 && roots == 1);
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  CALL(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaStreamSynchronize(stream));
  EXPECT(read_int(value) == 303);
  CALL(cudaGraphExecDestroy(exec));

  // Waiting for a capturing stream ends its capture.
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  CALL(cudaEventDestroy(fork));
  CALL(cudaEventDestroy(join));
  CALL(cudaStreamDestroy(side));
  CALL(cudaStreamDestroy(stream));
}

// The default stream waits for blocking streams, so not for a capturing one that does not block it;
// and not at all where each thread has a default stream of its own.
static void default_stream_beside_capture(int* value) {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  const bool legacy = false;
#else
  const bool legacy = true;
#endif
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    const bool refused = legacy && flags == cudaStreamDefault;
    cudaStream_t stream;
    CALL(cudaStreamCreateWithFlags(&stream, flags));
    CALL(cudaMemset(value, 0, sizeof(int)));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, stream>>>(value, 1);
    add<<<1, 1>>>(value, 10);
    EXPECT(cudaGetLastError() == (refused ? cudaErrorStreamCaptureImplicit : cudaSuccess));
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) CALL(cudaGraphDestroy(graph));
    cudaGetLastError();
    EXPECT(read_int(value) == (refused ? 0 : 10));
    CALL(cudaStreamDestroy(stream));
  }
}

static void built_graph(int* value) {
  cudaGraph_t graph;
  cudaGraphNode_t clear, kernel;
  CALL(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {};
  fill.dst = value;
  fill.elementSize = 1;
  fill.width = sizeof(int);
  fill.height = 1;
  CALL(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
  int amount = 5;
  void* arguments[] = {&value, &amount};
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(add);
  node.gridDim = dim3(1);
  node.blockDim = dim3(1);
  node.kernelParams = arguments;
  CALL(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &node));
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  amount = 6;  // the argument was copied
  CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaGraphLaunch(exec, nullptr));
  CALL(cudaDeviceSynchronize());
  EXPECT(read_int(value) == 5);
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(graph));
}

int main() {
  int* value;
  CALL(cudaMalloc(&value, sizeof(int)));
  streams_and_events(value);
  stream_attributes(value);
#if CUDART_VERSION >= 13000
  capture_information(value);
#endif
  captured_graph(value);
  default_stream_beside_capture(value);
  built_graph(value);
  CALL(cudaFree(value));
  std::printf("streams: all as expected\n");
}
