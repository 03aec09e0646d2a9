// PTX text to a module on the device: variables placed and initialised, functions lowered.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <span>

#include "common/emulator/exec/memory.hpp"
#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// `texts` are linked. `functions` is the device's table for indirect calls; the module's functions
// are added to it.
std::unique_ptr<Module> load_module(std::span<const std::string> texts, const std::string& name,
                                    DeviceMemory& memory, std::vector<const Function*>& functions,
                                    const DeviceProperties& properties);
void unload_module(Module& module, DeviceMemory& memory, std::vector<const Function*>& functions);

}  // namespace ladder::emulator
