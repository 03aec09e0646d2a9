// The worker's part of timing on a GPU: inputs made on the device, cold L2, events, and what the
// GPU can do at best.
#pragma once

#include "common/harness/worker_cuda.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder::worker {

class Bench {
 public:
  explicit Bench(const Cuda& cuda) : cuda_(cuda) {}

  // The object of ceilings.cu, whose kernels the rest of this uses.
  void load(const protocol::Command& command, protocol::Reply& reply);

  // These return a cudaError_t; the first one of a timing is kept for elapsed_us.
  int fill(void* data, const protocol::Argument& argument, std::uint64_t seed, int index);
  int measure(const protocol::Command& command, protocol::Reply& reply);

  // Leaves nothing of earlier data in L2, without waiting for it: the host runs ahead of the
  // device, so that what is timed next is queued, not waited for.
  void make_cold();
  void start();
  void stop();
  double elapsed_us();  // 0 when the events could not be used

 private:
  int prepare();
  int reserve(std::uint64_t bytes);  // for the copies

  const Cuda& cuda_;
  void (*copy_)(const void* from, void* to, std::size_t bytes) = nullptr;
  void (*read_)(const void* from, void* sink, std::size_t bytes) = nullptr;
  double (*ffma_)(void* sink, int blocks_per_multiprocessor) = nullptr;
  void (*empty_)() = nullptr;
  void (*flush_)(void* scratch, std::size_t bytes, unsigned value) = nullptr;
  bool (*fill_)(void* data, int element_type, std::int64_t elements, std::uint64_t seed,
                int argument, int distribution) = nullptr;

  Event start_ = nullptr, stop_ = nullptr;
  void* scratch_ = nullptr;  // twice the L2
  std::size_t scratch_bytes_ = 0;
  unsigned scratch_value_ = 0;
  char* copies_ = nullptr;
  std::size_t copies_bytes_ = 0;
};

}  // namespace ladder::worker
