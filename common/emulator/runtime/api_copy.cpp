// cudaMemcpy and cudaMemset in their many forms. The asynchronous forms are done at the call too,
// or recorded when their stream captures a graph; they differ in not reporting a kernel's fault.
#include <cuda_runtime_api.h>

#include "common/emulator/runtime/copy.hpp"

using ladder::emulator::ApiError;
using ladder::emulator::check;
using ladder::emulator::CopyRequest;
using ladder::emulator::Effect;
using ladder::emulator::require;
using ladder::emulator::run;
using ladder::emulator::Runtime;
using ladder::emulator::SetRequest;
using ladder::emulator::symbol_address;

namespace {

CopyRequest flat(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return {to, bytes, from, bytes, bytes, 1, kind};
}

SetRequest flat_set(void* to, int value, std::size_t bytes) {
  return {to, bytes, value, bytes, 1};
}

void submit(Runtime& runtime, cudaStream_t stream, CopyRequest request, const char* call) {
  check(runtime, request);
  request.call = call;
  runtime.submit(stream, cudaGraphNodeTypeMemcpy, [request](Runtime& now) { run(now, request); });
}

void submit(Runtime& runtime, cudaStream_t stream, const SetRequest& request,
            const char* /*call*/ = nullptr) {
  check(runtime, request);
  runtime.submit(stream, cudaGraphNodeTypeMemset, [request](Runtime& now) { run(now, request); });
}

template <class Request>
cudaError_t now(const char* function, const Request& request) {
  return Runtime::call(function, Effect::synchronizing,
                       [&](Runtime& runtime) { submit(runtime, nullptr, request, function); });
}

template <class Request>
cudaError_t later(const char* function, const Request& request, cudaStream_t stream) {
  return Runtime::call(function, Effect::asynchronous,
                       [&](Runtime& runtime) { submit(runtime, stream, request, function); });
}

// A symbol's copy: `into` says which side the symbol is.
cudaError_t symbol_copy(const char* function, Effect effect, const void* symbol, void* other,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, bool into,
                        cudaStream_t stream) {
  return Runtime::call(function, effect, [&](Runtime& runtime) {
    void* address = symbol_address(runtime, symbol, offset, bytes);
    // A managed variable is host memory; what the symbol is, is known.
    if (!runtime.device().is_device_address(ladder::emulator::address_of(address)))
      kind = cudaMemcpyDefault;
    submit(runtime, stream,
           into ? flat(address, other, bytes, kind) : flat(other, address, bytes, kind), function);
  });
}

void submit_3d(Runtime& runtime, const cudaMemcpy3DParms* parameters, cudaStream_t stream,
               const char* call) {
  require(parameters != nullptr);
  std::vector<CopyRequest> planes = ladder::emulator::planes_of(*parameters);
  for (CopyRequest& plane : planes) {
    check(runtime, plane);
    plane.call = call;
  }
  runtime.submit(stream, cudaGraphNodeTypeMemcpy, [planes](Runtime& now) {
    for (const CopyRequest& plane : planes) run(now, plane);
  });
}

void submit_set_3d(Runtime& runtime, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                   cudaStream_t stream) {
  for (std::size_t z = 0; z < extent.depth; ++z)
    submit(runtime, stream,
           SetRequest{static_cast<std::byte*>(to.ptr) + z * to.pitch * to.ysize, to.pitch, value,
                      extent.width, extent.height});
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return now("cudaMemcpy", flat(to, from, bytes, kind));
}
decltype(cudaMemcpy) cudaMemcpy_ptds [[gnu::alias("cudaMemcpy")]];

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return later("cudaMemcpyAsync", flat(to, from, bytes, kind), stream);
}
decltype(cudaMemcpyAsync) cudaMemcpyAsync_ptsz [[gnu::alias("cudaMemcpyAsync")]];

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return now("cudaMemcpyPeer", flat(to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return later("cudaMemcpyPeerAsync", flat(to, from, bytes, cudaMemcpyDeviceToDevice), stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return now("cudaMemcpy2D", CopyRequest{to, to_pitch, from, from_pitch, width, height, kind});
}
decltype(cudaMemcpy2D) cudaMemcpy2D_ptds [[gnu::alias("cudaMemcpy2D")]];

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return later("cudaMemcpy2DAsync",
               CopyRequest{to, to_pitch, from, from_pitch, width, height, kind}, stream);
}
decltype(cudaMemcpy2DAsync) cudaMemcpy2DAsync_ptsz [[gnu::alias("cudaMemcpy2DAsync")]];

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return Runtime::call("cudaMemcpy3D", Effect::synchronizing, [&](Runtime& runtime) {
    submit_3d(runtime, parameters, nullptr, "cudaMemcpy3D");
  });
}
decltype(cudaMemcpy3D) cudaMemcpy3D_ptds [[gnu::alias("cudaMemcpy3D")]];

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return Runtime::call("cudaMemcpy3DAsync", Effect::asynchronous, [&](Runtime& runtime) {
    submit_3d(runtime, parameters, stream, "cudaMemcpy3DAsync");
  });
}
decltype(cudaMemcpy3DAsync) cudaMemcpy3DAsync_ptsz [[gnu::alias("cudaMemcpy3DAsync")]];

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return symbol_copy("cudaMemcpyToSymbol", Effect::synchronizing, symbol, const_cast<void*>(from),
                     bytes, offset, kind, true, nullptr);
}
decltype(cudaMemcpyToSymbol) cudaMemcpyToSymbol_ptds [[gnu::alias("cudaMemcpyToSymbol")]];

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy("cudaMemcpyToSymbolAsync", Effect::asynchronous, symbol,
                     const_cast<void*>(from), bytes, offset, kind, true, stream);
}
decltype(cudaMemcpyToSymbolAsync) cudaMemcpyToSymbolAsync_ptsz
    [[gnu::alias("cudaMemcpyToSymbolAsync")]];

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return symbol_copy("cudaMemcpyFromSymbol", Effect::synchronizing, symbol, to, bytes, offset, kind,
                     false, nullptr);
}
decltype(cudaMemcpyFromSymbol) cudaMemcpyFromSymbol_ptds [[gnu::alias("cudaMemcpyFromSymbol")]];

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return symbol_copy("cudaMemcpyFromSymbolAsync", Effect::asynchronous, symbol, to, bytes, offset,
                     kind, false, stream);
}
decltype(cudaMemcpyFromSymbolAsync) cudaMemcpyFromSymbolAsync_ptsz
    [[gnu::alias("cudaMemcpyFromSymbolAsync")]];

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return Runtime::call("cudaGetSymbolAddress", Effect::asynchronous, [&](Runtime& runtime) {
    require(address != nullptr);
    *address = symbol_address(runtime, symbol, 0, 0);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return Runtime::call("cudaGetSymbolSize", Effect::asynchronous, [&](Runtime& runtime) {
    require(bytes != nullptr);
    const ladder::emulator::Variable* variable = runtime.modules.variable(symbol);
    require(variable != nullptr, cudaErrorInvalidSymbol);
    *bytes = variable->bytes;
  });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return now("cudaMemset", flat_set(to, value, bytes));
}
decltype(cudaMemset) cudaMemset_ptds [[gnu::alias("cudaMemset")]];

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return later("cudaMemsetAsync", flat_set(to, value, bytes), stream);
}
decltype(cudaMemsetAsync) cudaMemsetAsync_ptsz [[gnu::alias("cudaMemsetAsync")]];

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return now("cudaMemset2D", SetRequest{to, pitch, value, width, height});
}
decltype(cudaMemset2D) cudaMemset2D_ptds [[gnu::alias("cudaMemset2D")]];

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return later("cudaMemset2DAsync", SetRequest{to, pitch, value, width, height}, stream);
}
decltype(cudaMemset2DAsync) cudaMemset2DAsync_ptsz [[gnu::alias("cudaMemset2DAsync")]];

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return Runtime::call("cudaMemset3D", Effect::synchronizing, [&](Runtime& runtime) {
    submit_set_3d(runtime, to, value, extent, nullptr);
  });
}
decltype(cudaMemset3D) cudaMemset3D_ptds [[gnu::alias("cudaMemset3D")]];

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return Runtime::call("cudaMemset3DAsync", Effect::asynchronous, [&](Runtime& runtime) {
    submit_set_3d(runtime, to, value, extent, stream);
  });
}
decltype(cudaMemset3DAsync) cudaMemset3DAsync_ptsz [[gnu::alias("cudaMemset3DAsync")]];

}  // extern "C"
