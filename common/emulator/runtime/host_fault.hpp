// Host code that dereferences a device pointer gets SIGSEGV, as on a GPU; this says why.
#pragma once

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// Installs a handler for SIGSEGV and SIGBUS that names accesses inside the device's range and then
// lets the process die by that signal; every other fault goes to the handler that was there before.
void watch_host_accesses(const Device& device);

}  // namespace ladder::emulator
