#include "common/emulator/runtime/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "common/emulator/occupancy.hpp"

namespace ladder::emulator {
namespace {

std::string text_of(const dim3& size) {
  char text[48];
  std::snprintf(text, sizeof text, "(%u, %u, %u)", size.x, size.y, size.z);
  return text;
}

[[noreturn]] void refuse_launch(Runtime& runtime, cudaError_t code, const Kernel& kernel,
                                const std::string& why) {
  runtime.journal.record_fault("launch of " + kernel.shown_name + " refused: " + why);
  throw ApiError(code);
}

void check_shape(Runtime& runtime, const Kernel& kernel, const FunctionAttributes& attributes,
                 const LaunchRequest& request) {
  const DeviceProperties& device = runtime.device().properties();
  const dim3& grid = request.grid;
  const dim3& block = request.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    refuse_launch(runtime, cudaErrorInvalidConfiguration, kernel,
                  "the grid " + text_of(grid) + " is empty; skip the launch when there is no work");
  if (grid.x > device.max_grid[0] || grid.y > device.max_grid[1] || grid.z > device.max_grid[2])
    refuse_launch(runtime, cudaErrorInvalidConfiguration, kernel,
                  "the grid " + text_of(grid) + " is larger than (2147483647, 65535, 65535)");
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0)
    refuse_launch(runtime, cudaErrorInvalidConfiguration, kernel,
                  "the block " + text_of(block) + " is empty");
  if (block.x > static_cast<unsigned>(device.max_block[0]) ||
      block.y > static_cast<unsigned>(device.max_block[1]) ||
      block.z > static_cast<unsigned>(device.max_block[2]) ||
      threads > static_cast<unsigned>(device.max_threads_per_block))
    refuse_launch(runtime, cudaErrorInvalidConfiguration, kernel,
                  "the block " + text_of(block) + " has " + std::to_string(threads) +
                      " threads; a block holds at most 1024, and at most (1024, 1024, 64)");
  if (threads > static_cast<unsigned>(attributes.max_threads_per_block))
    refuse_launch(runtime, cudaErrorInvalidValue, kernel,
                  "the block " + text_of(block) + " has " + std::to_string(threads) +
                      " threads, but the kernel was compiled for at most " +
                      std::to_string(attributes.max_threads_per_block) + " (__launch_bounds__)");
}

void check_shared(Runtime& runtime, const Kernel& kernel, const FunctionAttributes& attributes,
                  const LaunchRequest& request) {
  const std::size_t limit = dynamic_shared_limit(runtime, kernel, attributes);
  if (request.dynamic_shared_bytes > limit)
    refuse_launch(runtime, cudaErrorInvalidValue, kernel,
                  std::to_string(request.dynamic_shared_bytes) +
                      " bytes of dynamic shared memory are more than the " + std::to_string(limit) +
                      " allowed; raise the limit with cudaFuncSetAttribute(kernel,"
                      " cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)");
}

void check_cooperative(Runtime& runtime, const Kernel& kernel, const FunctionAttributes& attributes,
                       const LaunchRequest& request) {
  if (!request.cooperative) return;
  const DeviceProperties& device = runtime.device().properties();
  const dim3& block = request.block;
  const int fit =
      blocks_per_multiprocessor(device, static_cast<int>(block.x * block.y * block.z),
                                attributes.static_shared_bytes + request.dynamic_shared_bytes);
  const std::uint64_t blocks = std::uint64_t{request.grid.x} * request.grid.y * request.grid.z;
  const std::uint64_t most =
      static_cast<std::uint64_t>(fit) * static_cast<std::uint64_t>(device.multiprocessors);
  if (blocks > most)
    refuse_launch(runtime, cudaErrorCooperativeLaunchTooLarge, kernel,
                  "a cooperative launch needs all " + std::to_string(blocks) +
                      " blocks resident at once; " + std::to_string(most) + " fit");
}

std::vector<std::byte> packed(const FunctionAttributes& attributes, void** arguments) {
  std::vector<std::byte> bytes(attributes.parameter_total);
  for (std::size_t i = 0; i < attributes.parameter_bytes.size(); ++i) {
    require(arguments != nullptr && arguments[i] != nullptr);
    std::memcpy(bytes.data() + attributes.parameter_offsets[i], arguments[i],
                attributes.parameter_bytes[i]);
  }
  return bytes;
}

}  // namespace

Kernel& find_kernel(Runtime& runtime, const void* handle) {
  Kernel* kernel = runtime.modules.kernel(handle);
  if (kernel == nullptr)
    throw ApiError(cudaErrorInvalidDeviceFunction, "the function is not a registered kernel");
  return *kernel;
}

std::size_t dynamic_shared_limit(Runtime& runtime, const Kernel& kernel,
                                 const FunctionAttributes& attributes) {
  if (kernel.dynamic_shared_limit >= 0)
    return static_cast<std::size_t>(kernel.dynamic_shared_limit);
  const std::size_t total = runtime.device().properties().shared_per_block;
  return total - std::min(total, attributes.static_shared_bytes);
}

int blocks_per_multiprocessor(const DeviceProperties& properties, int threads,
                              std::size_t shared_bytes) {
  return occupancy_of(properties, threads, shared_bytes).blocks;
}

Work kernel_work(Runtime& runtime, const LaunchRequest& request) {
  Kernel& kernel = find_kernel(runtime, request.kernel);
  const Function* function = runtime.modules.function(kernel, runtime.device());
  const FunctionAttributes& attributes = runtime.device().attributes(function);
  check_shape(runtime, kernel, attributes, request);
  check_shared(runtime, kernel, attributes, request);
  check_cooperative(runtime, kernel, attributes, request);
  return [request, function, name = kernel.shown_name,
          parameters = packed(attributes, request.arguments)](Runtime& now) {
    Launch launch;
    launch.function = function;
    launch.grid = {request.grid.x, request.grid.y, request.grid.z};
    launch.block = {request.block.x, request.block.y, request.block.z};
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    launch.parameters = parameters;
    launch.cooperative = request.cooperative;
    now.run_kernel(launch, name);
  };
}

void launch_kernel(Runtime& runtime, const LaunchRequest& request) {
  runtime.submit(request.stream, cudaGraphNodeTypeKernel, kernel_work(runtime, request));
}

}  // namespace ladder::emulator
