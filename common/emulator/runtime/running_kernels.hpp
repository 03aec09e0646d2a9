// Kernels that are being executed. Most are done when their launch returns. Those that seem to wait
// for somebody else, the host or another kernel, go on in a thread of their own while the launch
// returns: their stream is busy then, and what must come after them waits for them.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ladder::emulator {

// Guarded by Runtime::mutex, which waiting gives up.
class RunningKernels {
 public:
  struct Kernel {
    std::string name;
    cudaStream_t stream = nullptr;
    bool blocking = true;  // the stream: it waits for the legacy default stream, and that for it
    bool done = false, stalled = false;
    std::chrono::steady_clock::time_point ended{};  // once it is done
    int waited_for_by = 0;                          // threads of the host
  };

  explicit RunningKernels(std::mutex& mutex) : mutex_(mutex) {}

  std::shared_ptr<Kernel> begin(Kernel kernel);
  void end(Kernel& kernel);
  void stalls(Kernel& kernel);
  // Until it is done or stalls.
  void wait_for_launch(const Kernel& kernel);

  bool any() const { return !kernels_.empty(); }
  const std::string& first_name() const { return kernels_.front()->name; }
  // Those that work in a stream must wait for, whatever else the stream waits for.
  std::vector<std::shared_ptr<Kernel>> before(cudaStream_t stream, bool blocking) const;
  void wait_for(Kernel& kernel);
  void wait_for_all();
  // Whether it is the only one, and all threads of the process but `threads` wait for it.
  bool keeps_everybody_waiting(int threads) const;

 private:
  std::mutex& mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<Kernel>> kernels_;
  int waiting_for_all_ = 0;  // threads of the host
};

}  // namespace ladder::emulator
