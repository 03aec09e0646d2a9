// The worker's part of timing on a GPU: inputs filled on the device, cold L2, events.
#pragma once

#include <vector>

#include "common/harness/worker_cuda.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder::worker {

// Calls solver `command.solver` (worker.cpp); `pointers` holds one device pointer an argument.
void call_solve(const protocol::Command& command, const std::vector<void*>& pointers);

class Bench {
 public:
  explicit Bench(const Cuda& cuda) : cuda_(cuda) {}
  // fill, sample, time_copy, time_launch, load_ceilings.
  void serve(const protocol::Command& command, const std::vector<void*>& pointers,
             protocol::Reply& reply);

 private:
  const Cuda& cuda_;
};

}  // namespace ladder::worker
