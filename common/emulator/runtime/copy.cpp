#include "common/emulator/runtime/copy.hpp"

#include <cstring>
#include <vector>

#include "common/emulator/runtime/host_fault.hpp"

namespace ladder::emulator {
namespace {

bool on_device(Runtime& runtime, const void* pointer) {
  return runtime.device().is_device_address(address_of(pointer));
}

// A pointer that the host may use: not the device's, or memory that both share.
void require_side(Runtime& runtime, const void* pointer, bool device, const char* which,
                  const char* kind) {
  if (on_device(runtime, pointer) == device) return;
  if (device && runtime.host_memory.find(pointer) != nullptr) return;
  throw ApiError(cudaErrorInvalidValue,
                 std::string("the ") + which + " " + hexadecimal(address_of(pointer)) + " is a " +
                     (device ? "host" : "device") + " address, but the copy's kind is " + kind);
}

void copy_row(Device& device, void* to, const void* from, std::size_t bytes, const char* call) {
  const bool to_device = device.is_device_address(address_of(to));
  const bool from_device = device.is_device_address(address_of(from));
  if (to_device && from_device) return device.copy(address_of(to), address_of(from), bytes, call);
  const HostAccess access(to_device ? from : to, bytes);
  if (to_device)
    device.copy_in(address_of(to), from, bytes);
  else if (from_device)
    device.copy_out(to, address_of(from), bytes, call);
  else
    std::memmove(to, from, bytes);
}

}  // namespace

// Arrays belong to textures, which are not supported.
std::vector<CopyRequest> planes_of(const cudaMemcpy3DParms& p) {
  if (p.srcArray != nullptr || p.dstArray != nullptr)
    throw ApiError(cudaErrorNotSupported, "CUDA arrays are not supported");
  const std::size_t from_plane = p.srcPtr.pitch * p.srcPtr.ysize;
  const std::size_t to_plane = p.dstPtr.pitch * p.dstPtr.ysize;
  std::vector<CopyRequest> planes;
  for (std::size_t z = 0; z < p.extent.depth; ++z) {
    const auto* from = static_cast<const std::byte*>(p.srcPtr.ptr) + p.srcPos.x +
                       p.srcPos.y * p.srcPtr.pitch + (p.srcPos.z + z) * from_plane;
    auto* to = static_cast<std::byte*>(p.dstPtr.ptr) + p.dstPos.x + p.dstPos.y * p.dstPtr.pitch +
               (p.dstPos.z + z) * to_plane;
    planes.push_back(
        {to, p.dstPtr.pitch, from, p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind});
  }
  return planes;
}

void check(Runtime& runtime, const CopyRequest& request) {
  if (request.width == 0 || request.rows == 0) return;
  if (request.to == nullptr || request.from == nullptr)
    throw ApiError(cudaErrorInvalidValue, std::string("the ") +
                                              (request.to == nullptr ? "destination" : "source") +
                                              " of the copy is a null pointer: was it allocated?");
  if (request.rows > 1)
    require(request.to_pitch >= request.width && request.from_pitch >= request.width,
            cudaErrorInvalidPitchValue);
  switch (request.kind) {
    case cudaMemcpyHostToHost:
      require_side(runtime, request.to, false, "destination", "cudaMemcpyHostToHost");
      require_side(runtime, request.from, false, "source", "cudaMemcpyHostToHost");
      break;
    case cudaMemcpyHostToDevice:
      require_side(runtime, request.to, true, "destination", "cudaMemcpyHostToDevice");
      require_side(runtime, request.from, false, "source", "cudaMemcpyHostToDevice");
      break;
    case cudaMemcpyDeviceToHost:
      require_side(runtime, request.to, false, "destination", "cudaMemcpyDeviceToHost");
      require_side(runtime, request.from, true, "source", "cudaMemcpyDeviceToHost");
      break;
    case cudaMemcpyDeviceToDevice:
      require_side(runtime, request.to, true, "destination", "cudaMemcpyDeviceToDevice");
      require_side(runtime, request.from, true, "source", "cudaMemcpyDeviceToDevice");
      break;
    case cudaMemcpyDefault:
      break;
    default:
      throw ApiError(cudaErrorInvalidMemcpyDirection);
  }
}

void check(Runtime& runtime, const SetRequest& request) {
  if (request.width == 0 || request.rows == 0) return;
  if (request.rows > 1) require(request.pitch >= request.width, cudaErrorInvalidPitchValue);
  if (!on_device(runtime, request.to) && runtime.host_memory.find(request.to) == nullptr)
    throw ApiError(cudaErrorInvalidValue, hexadecimal(address_of(request.to)) +
                                              " is not a device address: cudaMemset fills what"
                                              " cudaMalloc returned");
}

void run(Runtime& runtime, const CopyRequest& request) {
  if (runtime.faulted()) return;
  Device& device = runtime.device();
  const auto* from = static_cast<const std::byte*>(request.from);
  auto* to = static_cast<std::byte*>(request.to);
  const bool dense = request.to_pitch == request.width && request.from_pitch == request.width;
  const std::size_t rows = dense ? 1 : request.rows;
  const std::size_t width = dense ? request.width * request.rows : request.width;
  if (width == 0) return;
  for (std::size_t row = 0; row < rows; ++row)
    copy_row(device, to + row * request.to_pitch, from + row * request.from_pitch, width,
             request.call);
  runtime.record_findings();
}

void run(Runtime& runtime, const SetRequest& request) {
  if (runtime.faulted() || request.width == 0) return;
  std::vector<std::byte> row(request.element == 1 ? 0 : request.width);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] =
        static_cast<std::byte>(static_cast<unsigned>(request.value) >> 8 * (i % request.element));
  }
  const auto value = static_cast<std::uint8_t>(request.value);
  for (std::size_t r = 0; r < request.rows; ++r) {
    std::byte* to = static_cast<std::byte*>(request.to) + r * request.pitch;
    if (!row.empty()) {
      copy_row(runtime.device(), to, row.data(), row.size(), "cudaMemset");
    } else if (on_device(runtime, to)) {
      runtime.device().set(address_of(to), value, request.width);
    } else {
      std::memset(to, value, request.width);
    }
  }
}

void* symbol_address(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes) {
  const Variable* variable = runtime.modules.variable(symbol);
  if (variable == nullptr)
    throw ApiError(cudaErrorInvalidSymbol,
                   "the symbol is no __device__ or __constant__ variable; pass the variable"
                   " itself, not its name or a pointer");
  const Symbol found = runtime.modules.symbol(*variable, runtime.device());
  if (offset > found.bytes || bytes > found.bytes - offset)
    throw ApiError(cudaErrorInvalidValue, "bytes " + std::to_string(offset) + " to " +
                                              std::to_string(offset + bytes) + " lie outside " +
                                              variable->name + ", which has " +
                                              std::to_string(found.bytes));
  return pointer_to(found.address + offset);
}

}  // namespace ladder::emulator
