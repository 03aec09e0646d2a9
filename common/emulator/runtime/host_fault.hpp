// Host code that dereferences a device pointer gets SIGSEGV, as on a GPU; this says why.
#pragma once

#include <cstddef>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// Installs a handler for SIGSEGV and SIGBUS that names accesses inside the device's range and then
// lets the process die by that signal; every other fault goes to the handler that was there before.
void watch_host_accesses(const Device& device);

// Whether that handler would name an access at `address`. Safe in a signal handler.
bool explains_fault_at(DeviceAddress address);

// While this lives, a copy touches [address, address + bytes) of host memory on behalf of the
// program: a fault there is the program's, and is named so. One at a time: the runtime is locked.
class HostAccess {
 public:
  HostAccess(const void* address, std::size_t bytes);
  ~HostAccess();
  HostAccess(const HostAccess&) = delete;
};

}  // namespace ladder::emulator
