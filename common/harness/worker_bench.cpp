#include "common/harness/worker_bench.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace ladder::worker {
namespace {

constexpr int random_distribution = 1;  // ladder::Distribution::random
constexpr int l2_bytes_attribute = 38;  // cudaDevAttrL2CacheSize
constexpr int cuda_error_invalid_value = 1;

void say(protocol::Reply& reply, const char* text) {
  std::strncpy(reply.text, text, sizeof reply.text - 1);
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

void Bench::load(const protocol::Command& command, protocol::Reply& reply) {
  void* library = dlopen(command.path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reply.outcome = protocol::Outcome::not_loadable;
    return say(reply, dlerror());
  }
  const bool complete =
      find(library, "ladder_copy", copy_) && find(library, "ladder_read", read_) &&
      find(library, "ladder_ffma", ffma_) && find(library, "ladder_empty", empty_) &&
      find(library, "ladder_flush", flush_) && find(library, "ladder_fill", fill_) &&
      cuda_.event_create != nullptr && cuda_.event_record != nullptr &&
      cuda_.event_synchronize != nullptr && cuda_.event_elapsed != nullptr &&
      cuda_.memcpy_async != nullptr && cuda_.device_attribute != nullptr;
  reply.outcome = protocol::Outcome::protocol_failure;
  if (!complete) return say(reply, "the ceilings or the CUDA runtime lack a function");
  const int error = prepare();
  reply.code = error;
  if (error != cuda_success) return say(reply, cuda_.describe(error).c_str());
  reply.outcome = protocol::Outcome::done;
}

int Bench::prepare() {
  int l2_bytes = 0;
  cuda_.device_attribute(&l2_bytes, l2_bytes_attribute, cuda_.device);
  scratch_bytes_ = 2 * static_cast<std::size_t>(std::max(l2_bytes, 1 << 20));
  int error = cuda_.malloc(&scratch_, scratch_bytes_);
  if (error == cuda_success) error = cuda_.event_create(&start_);
  if (error == cuda_success) error = cuda_.event_create(&stop_);
  return error;
}

int Bench::fill(void* data, const protocol::Argument& argument, std::uint64_t seed, int index) {
  if (fill_ == nullptr ||
      !fill_(data, argument.element_type, static_cast<std::int64_t>(argument.elements), seed, index,
             random_distribution))
    return cuda_error_invalid_value;
  return cuda_.get_last_error();
}

void Bench::make_cold() {
  cuda_.synchronize();  // the inputs are there
  if (cuda_.reset_persisting_l2 != nullptr) cuda_.reset_persisting_l2();
  flush_(scratch_, scratch_bytes_, ++scratch_value_);
}

void Bench::start() {
  cuda_.event_record(start_, nullptr);
}
void Bench::stop() {
  cuda_.event_record(stop_, nullptr);
}

double Bench::elapsed_us() {
  float milliseconds = 0;
  if (cuda_.event_synchronize(stop_) != cuda_success ||
      cuda_.event_elapsed(&milliseconds, start_, stop_) != cuda_success)
    return 0;
  return 1e3 * static_cast<double>(milliseconds);
}

int Bench::reserve(std::uint64_t bytes) {
  if (copies_bytes_ >= bytes) return cuda_success;
  if (copies_ != nullptr) cuda_.free(copies_);
  copies_ = nullptr;
  copies_bytes_ = 0;
  void* pointer = nullptr;
  const int error = cuda_.malloc(&pointer, bytes);
  if (error != cuda_success) return error;
  copies_ = static_cast<char*>(pointer);
  copies_bytes_ = bytes;
  // Zeros would be copied faster than what solvers are given.
  protocol::Argument random{};
  random.element_type = protocol::element_f32;
  random.elements = bytes / sizeof(float);
  return fill(copies_, random, 1, 0);
}

int Bench::measure(const protocol::Command& command, protocol::Reply& reply) {
  using protocol::Measure;
  if (flush_ == nullptr) return cuda_error_invalid_value;
  const auto what = static_cast<Measure>(command.number);
  const std::size_t half = command.bytes / 2 / 16 * 16, whole = command.bytes / 16 * 16;
  const int error = reserve(std::max<std::uint64_t>(command.bytes, 4096));
  if (error != cuda_success) return error;
  make_cold();
  if (what == Measure::launch_idle) cuda_.synchronize();
  start();
  switch (what) {
    case Measure::memcpy:
      cuda_.memcpy_async(copies_ + half, copies_, half, device_to_device, nullptr);
      break;
    case Measure::copy:
      copy_(copies_, copies_ + half, half);
      break;
    case Measure::read:
      read_(copies_, scratch_, whole);
      break;
    case Measure::ffma: {
      constexpr int blocks_per_multiprocessor = 32;
      const double flops = ffma_(scratch_, blocks_per_multiprocessor);
      reply.number = static_cast<std::uint64_t>(flops);
      break;
    }
    case Measure::launch_queued:
    case Measure::launch_idle:
      empty_();
      break;
  }
  stop();
  const int launched = cuda_.get_last_error();
  reply.device_us = elapsed_us();
  return launched;
}

}  // namespace ladder::worker
