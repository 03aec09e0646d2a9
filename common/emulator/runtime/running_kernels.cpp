#include "common/emulator/runtime/running_kernels.hpp"

#include <algorithm>

namespace ladder::emulator {
namespace {

bool is_legacy(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

}  // namespace

std::shared_ptr<RunningKernels::Kernel> RunningKernels::begin(Kernel kernel) {
  return kernels_.emplace_back(std::make_shared<Kernel>(std::move(kernel)));
}

void RunningKernels::end(Kernel& kernel) {
  kernel.done = true;
  std::erase_if(kernels_, [&](const auto& own) { return own.get() == &kernel; });
  changed_.notify_all();
}

void RunningKernels::stalls(Kernel& kernel) {
  kernel.stalled = true;
  changed_.notify_all();
}

void RunningKernels::wait_for_launch(const Kernel& kernel) {
  changed_.wait(mutex_, [&] { return kernel.done || kernel.stalled; });
}

std::shared_ptr<RunningKernels::Kernel> RunningKernels::before(cudaStream_t stream,
                                                               bool blocking) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& kernel) {
    if (is_legacy(stream)) return kernel->blocking;
    return kernel->stream == stream || (blocking && is_legacy(kernel->stream));
  });
  return found == kernels_.end() ? nullptr : *found;
}

void RunningKernels::wait_for(const Kernel& kernel) {
  changed_.wait(mutex_, [&] { return kernel.done; });
}

void RunningKernels::wait_for_all() {
  changed_.wait(mutex_, [&] { return kernels_.empty(); });
}

}  // namespace ladder::emulator
