#include "common/emulator/runtime/host_fault.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {
namespace {

const Device* watched = nullptr;
struct sigaction previous_segv, previous_bus;
DeviceAddress copied_address = 0;  // HostAccess
std::size_t copied_bytes = 0;

const char* direction(const void* context) {
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code: the access was a write.
  const auto* user = static_cast<const ucontext_t*>(context);
  return user->uc_mcontext.gregs[REG_ERR] & 2 ? "writes to" : "reads from";
#else
  static_cast<void>(context);
  return "accesses";
#endif
}

void* instruction(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

// Looks up the allocation, which is not safe in a signal handler in general; the process is about
// to die, and the fault was raised outside the emulator.
void describe(const siginfo_t& info, const void* context) {
  const DeviceAddress address = address_of(info.si_addr);
  char text[768];
  int length =
      std::snprintf(text, sizeof text, "ladder emulator: host code %s a device pointer: 0x%llx",
                    direction(context), static_cast<unsigned long long>(address));
  const auto append = [&](const auto&... arguments) {
    length +=
        std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), arguments...);
  };
  if (const Device::Allocation* allocation = watched->find(address)) {
    append("\n  it is byte %llu of the %zu bytes at 0x%llx (%.80s)",
           static_cast<unsigned long long>(address - allocation->address), allocation->bytes,
           static_cast<unsigned long long>(allocation->address), allocation->what.c_str());
  } else {
    append("%s", "\n  no allocation is there now");
  }
  Dl_info where;
  if (dladdr(instruction(context), &where) != 0 && where.dli_fname != nullptr)
    append("\n  in %.80s of %.200s", where.dli_sname ? where.dli_sname : "a function",
           where.dli_fname);
  append("%s", "\n  the host cannot use device memory: use cudaMemcpy to copy it\n");
  [[maybe_unused]] const ssize_t written = write(2, text, std::strlen(text));
}

bool on_device(DeviceAddress address) {
  return watched != nullptr && watched->is_device_address(address);
}

bool in_copied_range(DeviceAddress address) {
  return address >= copied_address && address - copied_address < copied_bytes;
}

void describe_copy(const siginfo_t& info) {
  char text[256];
  std::snprintf(text, sizeof text,
                "ladder emulator: a copy reaches host memory that is not there: byte %llu of the"
                " %zu bytes at 0x%llx\n"
                "  check the host pointer, and the size, which is in bytes\n",
                static_cast<unsigned long long>(address_of(info.si_addr) - copied_address),
                copied_bytes, static_cast<unsigned long long>(copied_address));
  [[maybe_unused]] const ssize_t written = write(2, text, std::strlen(text));
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const DeviceAddress address = address_of(info->si_addr);
  struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
  if (info->si_code > 0 && on_device(address)) {
    describe(*info, context);
  } else if (info->si_code > 0 && in_copied_range(address)) {
    describe_copy(*info);
  } else if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
    return;
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  // Returning runs the instruction again, which now ends the process.
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(signal, &default_action, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by kill(): no instruction would raise it again
}

}  // namespace

bool explains_fault_at(DeviceAddress address) {
  return on_device(address) || in_copied_range(address);
}

HostAccess::HostAccess(const void* address, std::size_t bytes) {
  copied_address = address_of(address);
  copied_bytes = bytes;
}

HostAccess::~HostAccess() {
  copied_bytes = 0;
}

void watch_host_accesses(const Device& device) {
  watched = &device;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previous_segv);
  sigaction(SIGBUS, &action, &previous_bus);
}

}  // namespace ladder::emulator
