#include "common/emulator/runtime/running_kernels.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

namespace ladder::emulator {
namespace {

bool is_legacy(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

std::optional<int> threads_of_process() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  if (error) return std::nullopt;
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace

std::shared_ptr<RunningKernels::Kernel> RunningKernels::begin(Kernel kernel) {
  return kernels_.emplace_back(std::make_shared<Kernel>(std::move(kernel)));
}

void RunningKernels::end(Kernel& kernel) {
  kernel.done = true;
  kernel.ended = std::chrono::steady_clock::now();
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

std::vector<std::shared_ptr<RunningKernels::Kernel>> RunningKernels::before(cudaStream_t stream,
                                                                            bool blocking) const {
  std::vector<std::shared_ptr<Kernel>> found;
  std::copy_if(kernels_.begin(), kernels_.end(), std::back_inserter(found),
               [&](const auto& kernel) {
                 if (is_legacy(stream)) return kernel->blocking;
                 return kernel->stream == stream || (blocking && is_legacy(kernel->stream));
               });
  return found;
}

void RunningKernels::wait_for(Kernel& kernel) {
  ++kernel.waited_for_by;
  changed_.wait(mutex_, [&] { return kernel.done; });
  --kernel.waited_for_by;
}

void RunningKernels::wait_for_all() {
  ++waiting_for_all_;
  changed_.wait(mutex_, [&] { return kernels_.empty(); });
  --waiting_for_all_;
}

bool RunningKernels::keeps_everybody_waiting(int threads) const {
  if (kernels_.size() != 1) return false;
  const std::optional<int> all = threads_of_process();
  return all && *all == threads + kernels_[0]->waited_for_by + waiting_for_all_;
}

}  // namespace ladder::emulator
