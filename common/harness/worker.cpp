// ladder-worker: runs solvers for a checker, and knows no problem. It loads the CUDA runtime that
// it is told to, then a solver, and calls solve() with arrays and scalars that are only roles,
// byte counts and bits to it. Expected values never enter this process.
//
//   ladder-worker SOCKET PARENT MEMORY_BYTES CPU_SECONDS      (started by WorkerProcess)
#include <dlfcn.h>
#include <ffi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/emulator/watch.hpp"
#include "common/harness/solver_object.hpp"
#include "common/harness/worker_bench.hpp"
#include "common/harness/worker_cuda.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder::worker {
namespace {

using protocol::Command;
using protocol::Outcome;
using protocol::Reply;
using protocol::Request;
using protocol::Role;

int channel = -1;
Cuda cuda;
Bench bench(cuda);
std::vector<void (*)()> solvers;

// One device array of a call; on a GPU it stands between guards in a larger allocation, on the
// emulator it is an allocation of exactly its size, whose ends memcheck knows.
struct DeviceArray {
  char* base = nullptr;
  std::uint64_t bytes = 0, guard_bytes = 0;
  char* contents() const { return base == nullptr ? nullptr : base + guard_bytes; }
};
std::vector<DeviceArray> arrays;

void set_text(Reply& reply, const std::string& text) {
  const std::size_t length = std::min(text.size(), sizeof reply.text - 1);
  std::memcpy(reply.text, text.data(), length);
  reply.text[length] = '\0';
}

void send_reply(const Reply& reply) {
  send(channel, &reply, sizeof reply, MSG_NOSIGNAL);
}

// The first thing that went wrong on the device, or Outcome::done.
Outcome device_trouble(Reply& reply, int error) {
  reply.code = error;
  const char* fault = cuda.emulator != nullptr ? cuda.emulator->fault() : nullptr;
  if (fault != nullptr) {
    set_text(reply, fault);
    return Outcome::fault;
  }
  if (error == cuda_success) return Outcome::done;
  const char* call = cuda.emulator != nullptr ? cuda.emulator->failed_call() : nullptr;
  set_text(reply, call != nullptr ? call : cuda.describe(error));
  return error == cuda_error_memory_allocation ? Outcome::out_of_memory : Outcome::cuda_error;
}

// ---- Ways out of solve() that do not return ------------------------------------------------

[[noreturn]] void end_with(Outcome outcome, const char* text) {
  static Reply reply;
  reply.outcome = outcome;
  reply.argument = -1;
  set_text(reply, text);
  std::fflush(nullptr);
  send_reply(reply);
  _exit(0);
}

[[noreturn]] void end_with_failure(const char* text) {
  const int error = cuda.peek_at_last_error != nullptr ? cuda.peek_at_last_error() : 0;
  static Reply reply;
  reply.argument = -1;
  reply.outcome = Outcome::failed;
  reply.code = error;
  const char* fault = cuda.emulator != nullptr ? cuda.emulator->fault() : nullptr;
  set_text(reply, fault == nullptr ? text : std::string(fault) + "\nnoticed at " + text);
  if (fault != nullptr) reply.outcome = Outcome::fault;
  std::fflush(nullptr);
  send_reply(reply);
  _exit(0);
}

bool calling = false;  // solve, which has not returned

// Runs at exit: a solver that checks its calls and ends the process should hear what the emulator
// saw, not only that it ended.
void tell_fault_at_exit() {
  const char* fault = calling && cuda.emulator != nullptr ? cuda.emulator->fault() : nullptr;
  if (fault == nullptr) return;
  static Reply reply;
  reply.argument = -1;
  reply.outcome = Outcome::fault;
  reply.code = cuda.peek_at_last_error();
  set_text(reply, std::string(fault) + "\nwhereupon solve ended its process");
  std::fflush(nullptr);
  send_reply(reply);
}

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction earlier[NSIG];  // the emulator's, which knows all of its memory

// Whether `address` is where the stack would have to grow to.
bool is_next_to_stack(std::uint64_t address, const void* context) {
  constexpr std::uint64_t near = 64 << 10;
#if defined(__x86_64__)
  const auto top = static_cast<std::uint64_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const std::uint64_t top = static_cast<const ucontext_t*>(context)->uc_mcontext.sp;
#else
  const std::uint64_t top = 0;
  static_cast<void>(context);
#endif
  return address + near > top && address < top + near;
}

// Runs on its own stack, touches only static memory, and ends the process; or leaves a bad address
// that is in none of the arrays to the emulator, if that knows more.
void crashed(int signal, siginfo_t* info, void* context) {
  static Reply reply;
  reply.outcome = Outcome::crashed;
  reply.code = signal;
  reply.argument = -1;
  if (signal == SIGSEGV || signal == SIGBUS) {
    reply.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    int index = 0;
    for (const DeviceArray& array : arrays) {
      const auto start = reinterpret_cast<std::uint64_t>(array.contents());
      if (start != 0 && reply.address >= start && reply.address < start + array.bytes) {
        reply.argument = index;
        reply.offset = reply.address - start;
      }
      ++index;
    }
    if (reply.argument < 0 && cuda.emulator != nullptr &&
        cuda.emulator->explains(reply.address) != 0 &&
        (earlier[signal].sa_flags & SA_SIGINFO) != 0) {
      sigaction(signal, &earlier[signal], nullptr);
      return;  // the instruction faults again
    }
    if (reply.argument < 0 && is_next_to_stack(reply.address, context))
      std::memcpy(reply.text, protocol::stack_overflow, sizeof protocol::stack_overflow);
  }
  send_reply(reply);
  _exit(128 + signal);
}

void catch_crashes() {
  static char stack[64 << 10];
  const stack_t alternative = {stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : crashes) sigaction(signal, &action, &earlier[signal]);
}

// ---- Requests --------------------------------------------------------------------------------

void open_runtime(const Command& command, Reply& reply) {
  std::string error;
  cuda.device = static_cast<int>(command.number);
  reply.outcome = Outcome::no_runtime;
  if (!cuda.open(command.path, error)) return set_text(reply, error);
  if (cuda.driver_version != nullptr) cuda.driver_version(&reply.device.driver);
  int status = cuda.set_device(cuda.device);
  if (status == cuda_success) status = cuda.free(nullptr);  // creates the context
  if (status != cuda_success) {
    reply.code = status;
    return set_text(reply, cuda.describe(status));
  }
  catch_crashes();  // after the emulator has set its own handler
  reply.device = cuda.describe_device();
  reply.outcome = Outcome::done;
}

void load_solver(const Command& command, Reply& reply) {
  if (has_static_cuda_runtime(command.path)) {
    reply.outcome = Outcome::static_runtime;
    return set_text(reply, std::string(command.path) +
                               " carries the CUDA runtime inside it, which cannot be replaced");
  }
  void* library = dlopen(command.path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reply.outcome = Outcome::not_loadable;
    return set_text(reply, dlerror());
  }
  void* solve = dlsym(library, "solve");
  if (solve == nullptr) {
    reply.outcome = Outcome::no_solve;
    return set_text(reply, "it exports no function named solve");
  }
  reply.number = solvers.size();
  solvers.push_back(reinterpret_cast<void (*)()>(solve));
  const int error = cuda.get_last_error();
  reply.outcome = device_trouble(reply, error);
}

// A view of a memfd for the length of a call.
class Mapping {
 public:
  Mapping(int descriptor, int protection) : descriptor_(descriptor) {
    if (descriptor < 0) return;
    bytes_ = static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END));
    if (bytes_ == 0) return;
    data_ = mmap(nullptr, bytes_, protection, MAP_SHARED, descriptor, 0);
    if (data_ == MAP_FAILED) throw std::runtime_error("cannot map a case's arrays");
  }
  ~Mapping() {
    if (data_ != nullptr && data_ != MAP_FAILED) munmap(data_, bytes_);
    if (descriptor_ >= 0) close(descriptor_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  char* at(std::uint64_t offset) const { return static_cast<char*>(data_) + offset; }

 private:
  int descriptor_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

bool is_array(const protocol::Argument& argument) {
  return argument.role != Role::i32 && argument.role != Role::f32;
}

// Makes `arrays` fit the command; a call with the same sizes finds the same addresses.
int arrange(const Command& command) {
  std::vector<DeviceArray> wanted(command.argument_count);
  bool same = arrays.size() == wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!is_array(command.arguments[i])) continue;
    wanted[i].bytes = command.arguments[i].bytes;
    wanted[i].guard_bytes = command.guard_bytes;
    same = same && arrays[i].bytes == wanted[i].bytes &&
           arrays[i].guard_bytes == wanted[i].guard_bytes && arrays[i].base != nullptr;
  }
  if (same) return cuda_success;
  for (DeviceArray& array : arrays) {
    if (array.base != nullptr) cuda.free(array.base);
  }
  arrays = wanted;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!is_array(command.arguments[i])) continue;
    const std::uint64_t bytes = arrays[i].bytes + 2 * arrays[i].guard_bytes;
    if (bytes == 0) continue;
    void* pointer = nullptr;
    const int error = cuda.malloc(&pointer, bytes);
    if (error != cuda_success) return error;
    arrays[i].base = static_cast<char*>(pointer);
    if (cuda.emulator != nullptr)
      cuda.emulator->name_allocation(reinterpret_cast<std::uint64_t>(pointer),
                                     command.arguments[i].name);
  }
  return cuda_success;
}

int fill_array(const Command& command, std::size_t index, const Mapping& inputs) {
  const protocol::Argument& argument = command.arguments[index];
  const DeviceArray& array = arrays[index];
  if (array.bytes == 0) return cuda_success;
  if (argument.role == Role::out)
    return cuda.memset(array.contents(), argument.poison, array.bytes);
  if (argument.made_on_device != 0)
    return bench.fill(array.contents(), argument, command.seed, static_cast<int>(index));
  return cuda.memcpy(array.contents(), inputs.at(argument.input_offset), array.bytes,
                     host_to_device);
}

int fill_arrays(const Command& command, const Mapping& inputs) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const DeviceArray& array = arrays[i];
    if (array.base == nullptr) continue;
    int error = cuda_success;
    if (array.guard_bytes != 0) {
      error = cuda.memset(array.base, protocol::guard_byte, array.guard_bytes);
      if (error == cuda_success)
        error =
            cuda.memset(array.contents() + array.bytes, protocol::guard_byte, array.guard_bytes);
    }
    if (error == cuda_success) error = fill_array(command, i, inputs);
    if (error != cuda_success) return error;
  }
  return cuda_success;
}

int copy_out(const Command& command, const Mapping& results) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].base == nullptr || command.arguments[i].returned == 0) continue;
    const std::uint64_t bytes = arrays[i].bytes + 2 * arrays[i].guard_bytes;
    const int error = cuda.memcpy(results.at(command.arguments[i].result_offset), arrays[i].base,
                                  bytes, device_to_host);
    if (error != cuda_success) return error;
  }
  return cuda_success;
}

void call_solve(const Command& command) {
  void* pointers[protocol::max_arguments];
  ffi_type* types[protocol::max_arguments];
  void* values[protocol::max_arguments];
  for (std::uint32_t i = 0; i < command.argument_count; ++i) {
    const protocol::Argument& argument = command.arguments[i];
    types[i] = argument.role == Role::i32   ? &ffi_type_sint32
               : argument.role == Role::f32 ? &ffi_type_float
                                            : &ffi_type_pointer;
    const void* value = &argument.scalar;
    if (is_array(argument)) {
      pointers[i] = arrays[i].contents();
      value = &pointers[i];
    }
    values[i] = const_cast<void*>(value);  // libffi only reads it
  }
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, command.argument_count, &ffi_type_void, types) !=
      FFI_OK)
    throw std::runtime_error("libffi cannot describe the call");
  void (*const solve)() = solvers.at(command.solver);
  calling = true;
  ffi_call(&interface, solve, nullptr, values);
  calling = false;
}

void collect_counters(Reply& reply) {
  if (cuda.emulator == nullptr) return;
  reply.kernel_seconds = cuda.emulator->kernel_seconds();
  cuda.emulator->counters(
      [](const char* name, double value, void* context) {
        Reply& into = *static_cast<Reply*>(context);
        if (into.counter_count == protocol::max_counters) return;
        protocol::Counter& counter = into.counters[into.counter_count++];
        std::strncpy(counter.name, name, sizeof counter.name - 1);
        counter.value = value;
      },
      &reply);
}

// On the device, by solve and for its arguments.
std::uint64_t allocated_bytes() {
  std::uint64_t sum = 0;
  if (cuda.emulator == nullptr) return sum;
  cuda.emulator->allocations([](std::uint64_t, std::uint64_t bytes,
                                void* context) { *static_cast<std::uint64_t*>(context) += bytes; },
                             &sum);
  return sum;
}

void call(const Command& command, int input_descriptor, int result_descriptor, Reply& reply) {
  const Mapping inputs(input_descriptor, PROT_READ);
  const Mapping results(result_descriptor, PROT_READ | PROT_WRITE);
  int error = arrange(command);
  if (error == cuda_success) error = fill_arrays(command, inputs);
  if (error != cuda_success) {
    reply.outcome = device_trouble(reply, error);
    return;
  }
  if (cuda.emulator != nullptr) {
    cuda.emulator->reset();
    cuda.emulator->watch(command.watch);
    cuda.emulator->order_seed(command.order_seed);
    if ((command.watch & emulator::watch_trace) != 0)
      cuda.emulator->limit_trace(command.trace_first_block, command.trace_blocks,
                                 command.trace_accesses);
  }
  if (command.timed != 0) bench.make_cold();
  const auto start = std::chrono::steady_clock::now();
  if (command.timed != 0) bench.start();
  call_solve(command);
  if (command.timed != 0) bench.stop();
  // A bad launch is told by the last error, a fault inside a kernel by the synchronisation.
  const int launch_error = cuda.get_last_error();
  const int kernel_error = cuda.synchronize();
  reply.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  error = launch_error != cuda_success ? launch_error : kernel_error;
  reply.outcome = device_trouble(reply, error);
  if (reply.outcome != Outcome::done) return;
  collect_counters(reply);
  reply.allocated = allocated_bytes();
  if (command.timed != 0) reply.device_us = bench.elapsed_us();
  if (command.without_results != 0) return;
  reply.outcome = device_trouble(reply, copy_out(command, results));
  if (reply.outcome != Outcome::done)
    set_text(reply, std::string(reply.text) +
                        "\nsolve's arguments belong to its caller: it must not free them, nor "
                        "reset the device");
}

// `write`: which of the emulator's functions.
void write_report(const int (&descriptors)[2], int (*LadderEmulator::*write)(int), Reply& reply) {
  const bool written = cuda.emulator != nullptr && (cuda.emulator->*write)(descriptors[1]) != 0;
  for (const int descriptor : descriptors) close(descriptor);
  if (written) return;
  reply.outcome = Outcome::protocol_failure;
  set_text(reply, "the emulator's report cannot be written");
}

void serve(const Command& command, const int (&descriptors)[2], Reply& reply) {
  switch (command.request) {
    case Request::open_runtime:
      return open_runtime(command, reply);
    case Request::load_solver:
      return load_solver(command, reply);
    case Request::load_ceilings:
      return bench.load(command, reply);
    case Request::call:
      return call(command, descriptors[0], descriptors[1], reply);
    case Request::launches:
      return write_report(descriptors, &LadderEmulator::write_launches, reply);
    case Request::trace:
      return write_report(descriptors, &LadderEmulator::write_trace, reply);
    case Request::measure:
      reply.outcome = device_trouble(reply, bench.measure(command, reply));
      return;
  }
  reply.outcome = Outcome::protocol_failure;
  set_text(reply, "an unknown request");
}

// Takes one command and the descriptors that came with it. False: the checker has gone.
bool receive(Command& command, int (&descriptors)[2]) {
  descriptors[0] = descriptors[1] = -1;
  iovec data{&command, sizeof command};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  if (got != static_cast<ssize_t>(sizeof command)) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(descriptors, CMSG_DATA(header),
                std::min(sizeof descriptors, header->cmsg_len - CMSG_LEN(0)));
  return true;
}

void limit(__rlimit_resource resource, std::uint64_t value) {
  if (value == 0) return;
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

int serve_all() {
  const auto command = std::make_unique<Command>();
  const auto reply = std::make_unique<Reply>();
  int descriptors[2];
  while (receive(*command, descriptors)) {
    std::memset(static_cast<void*>(reply.get()), 0, sizeof *reply);
    reply->argument = -1;
    calling = false;  // an exception may have left solve
    try {
      serve(*command, descriptors, *reply);
    } catch (const std::bad_alloc&) {
      reply->outcome = Outcome::out_of_memory;
      set_text(*reply, "std::bad_alloc: no host memory left");
    } catch (const std::exception& exception) {
      reply->outcome = calling ? Outcome::exception : Outcome::protocol_failure;
      set_text(*reply, exception.what());
    } catch (...) {
      reply->outcome = Outcome::exception;
      set_text(*reply, "not a std::exception");
    }
    std::fflush(nullptr);
    send_reply(*reply);
  }
  return 0;
}

}  // namespace
}  // namespace ladder::worker

// What common/check.hpp finds when a solver runs under the judge; both end the call.
extern "C" {
__attribute__((visibility("default"))) [[noreturn]] void ladder_refuse(const char* why);
__attribute__((visibility("default"))) [[noreturn]] void ladder_fail(const char* message);

void ladder_refuse(const char* why) {
  ladder::worker::end_with(ladder::worker::Outcome::refused, why);
}
void ladder_fail(const char* message) {
  ladder::worker::end_with_failure(message);
}
}

int main(int count, char** words) {
  using namespace ladder::worker;
  if (count != 5) {
    std::fprintf(stderr, "ladder-worker is started by ladder; try ladder check --help\n");
    return 2;
  }
  channel = std::atoi(words[1]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != std::atoi(words[2])) return 6;  // the checker died before that line
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit(RLIMIT_DATA, std::strtoull(words[3], nullptr, 10));
  limit(RLIMIT_CPU, std::strtoull(words[4], nullptr, 10));
  std::atexit(tell_fault_at_exit);
  return serve_all();
}
