// PTX text to a module on the device: variables placed and initialised, functions lowered.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "common/emulator/exec/memory.hpp"
#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// `functions` is the device's table for indirect calls; the module's functions are added to it.
std::unique_ptr<Module> load_module(std::string_view ptx, const std::string& name,
                                    DeviceMemory& memory, std::vector<const Function*>& functions,
                                    const DeviceProperties& properties);
void unload_module(Module& module, DeviceMemory& memory, std::vector<const Function*>& functions);

}  // namespace ladder::emulator
