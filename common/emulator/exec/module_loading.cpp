#include "common/emulator/exec/module_loading.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "common/emulator/exec/call_graph.hpp"
#include "common/emulator/exec/lowering.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/ptx/link.hpp"
#include "common/emulator/ptx/reserved_shared.hpp"

namespace ladder::emulator {

namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  alignment = std::max<std::uint64_t>(alignment, 1);
  return (value + alignment - 1) / alignment * alignment;
}

bool in_device_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

std::byte* bytes_of(const Symbol& symbol, const DeviceMemory& memory) {
  return memory.host(symbol.address, symbol.bytes, "initial value");
}

void place_variables(Module& module, DeviceMemory& memory) {
  const auto place = [&](const ptx::Variable& variable) {
    if (!in_device_memory(variable) || variable.external || variable.bytes == 0) return;
    Symbol symbol{0, static_cast<std::size_t>(variable.bytes)};
    const std::string what = demangle(variable.name);
    if (variable.managed) {
      module.managed.push_back(std::make_unique<std::byte[]>(symbol.bytes + 256));
      const auto at = reinterpret_cast<std::uint64_t>(module.managed.back().get());
      symbol.address = align_up(at, 256);
      memory.map_host(reinterpret_cast<void*>(symbol.address), symbol.bytes, what);
    } else {
      symbol.address = memory.allocate(symbol.bytes, what, DeviceMemory::Owner::module);
    }
    if (variable.space == ptx::Space::constant) {
      module.constant_bytes += symbol.bytes;
      module.constants.push_back(symbol);
    }
    const auto initial = std::as_bytes(std::span(variable.initial));
    std::copy_n(initial.begin(), std::min(initial.size(), symbol.bytes), bytes_of(symbol, memory));
    module.symbols[variable.name] = symbol;
  };
  for (const ptx::Variable& variable : module.source.variables) place(variable);
  for (const ptx::Function& function : module.source.functions) {
    for (const ptx::Variable& variable : function.variables) {
      if (in_device_memory(variable)) place(variable);
    }
  }
}

// Addresses in initialisers: of variables, or of functions.
void relocate(Module& module, DeviceMemory& memory) {
  for (const ptx::Variable& variable : module.source.variables) {
    const auto found = module.symbols.find(variable.name);
    if (found == module.symbols.end()) continue;
    std::byte* bytes = bytes_of(found->second, memory);
    for (const auto& relocation : variable.relocations) {
      std::uint64_t value = static_cast<std::uint64_t>(relocation.addend);
      if (const auto target = module.symbols.find(relocation.symbol);
          target != module.symbols.end()) {
        value += target->second.address;
      } else if (const Function* function = module.find(relocation.symbol)) {
        value += code_window + static_cast<std::uint64_t>(function->index);
      } else {
        throw Fault(FaultKind::invalid_ptx, "the initial value of '" + demangle(variable.name) +
                                                "' names '" + demangle(relocation.symbol) +
                                                "', which is not in the module");
      }
      value >>= relocation.shift;
      const int length = std::min(relocation.bytes, static_cast<int>(sizeof value));
      std::memcpy(bytes + relocation.offset, &value, static_cast<std::size_t>(length));
    }
  }
}

constexpr std::uint64_t most_parameter_bytes = 32764;  // of a kernel, from sm_70 on

void set_attributes(const Module& module, Function& function, const DeviceProperties& properties) {
  const ptx::Function& source = *function.source;
  FunctionAttributes& attributes = function.attributes;
  attributes.name = source.name;
  attributes.ptx_version = module.source.architecture;
  attributes.constant_bytes = module.constant_bytes;
  attributes.max_threads_per_block = properties.max_threads_per_block;
  for (const int* limit : {source.max_threads, source.required_threads}) {
    if (limit[0] == 0) continue;
    std::int64_t threads = 1;
    for (int i = 0; i < 3; ++i) {
      threads =
          std::min<std::int64_t>(threads * std::max(limit[i], 1), attributes.max_threads_per_block);
    }
    attributes.max_threads_per_block = static_cast<int>(threads);
  }
  std::uint64_t at = 0;
  for (const ptx::Variable& parameter : source.parameters) {
    at = align_up(at, std::max<std::uint64_t>(parameter.alignment, 1));
    attributes.parameter_offsets.push_back(at);
    attributes.parameter_bytes.push_back(parameter.bytes);
    if (source.entry && parameter.bytes > most_parameter_bytes - std::min(at, most_parameter_bytes))
      throw Fault(FaultKind::invalid_ptx, function.display_name +
                                              ": its parameters take more than " +
                                              std::to_string(most_parameter_bytes) + " bytes");
    at += parameter.bytes;
  }
  attributes.parameter_total = at;
}

// One unsupported instruction stops the kernels that can reach it, and no others.
void lower_functions(Module& module, const CallGraph& graph) {
  std::map<const Function*, Fault> faults;
  for (const auto& function : module.functions) {
    try {
      lower(module, *function);
    } catch (const Fault& fault) {
      if (fault.kind() != FaultKind::unsupported) throw;
      faults.emplace(function.get(), fault);
    }
    function->attributes.static_shared_bytes = function->static_shared;
    // What the system keeps for cooperative groups is not the block's own.
    if (const auto reserved = function->shared.find(ptx::reserved_shared);
        reserved != function->shared.end()) {
      function->attributes.static_shared_bytes -= reserved->second.bytes;
    }
    function->attributes.local_bytes = function->local_bytes;
  }
  for (const auto& function : module.functions) {
    for (const Function* callee : graph.reachable(*function)) {
      const auto found = faults.find(callee);
      if (found == faults.end()) continue;
      function->unsupported = found->second;
      break;
    }
  }
}

void release_variables(Module& module, DeviceMemory& memory) {
  for (const auto& [name, symbol] : module.symbols) {
    if (memory.reserved(symbol.address)) {
      memory.free(symbol.address, DeviceMemory::Owner::module);
    } else {
      memory.unmap_host(reinterpret_cast<void*>(symbol.address));
    }
  }
  module.symbols.clear();
}

}  // namespace

const Function* Module::find(std::string_view function_name) const {
  for (const auto& function : functions) {
    if (function->source->name == function_name) return function.get();
  }
  return nullptr;
}

std::unique_ptr<Module> load_module(std::span<const std::string> texts, const std::string& name,
                                    DeviceMemory& memory, std::vector<const Function*>& functions,
                                    const DeviceProperties& properties) {
  auto module = std::make_unique<Module>();
  module->name = name;
  try {
    std::vector<ptx::Module> parts;
    for (const std::string& text : texts) parts.push_back(ptx::parse(text));
    module->source = ptx::link(std::move(parts));
  } catch (const ptx::ParseError& error) {
    throw Fault(FaultKind::invalid_ptx, name + ": " + error.what());
  }
  const int device = properties.major * 10 + properties.minor;
  if (module->source.architecture > device) {
    throw Fault(FaultKind::unsupported,
                name + ": compiled for sm_" + std::to_string(module->source.architecture) +
                    ", and the device is sm_" + std::to_string(device) +
                    ": compile with -arch=compute_" + std::to_string(device) + " or lower");
  }
  const std::size_t before = functions.size();
  try {
    place_variables(*module, memory);
    for (const ptx::Function& source : module->source.functions) {
      if (!source.defined) continue;
      auto function = std::make_unique<Function>();
      function->module = module.get();
      function->source = &source;
      function->display_name = demangle(source.name);
      function->index = static_cast<int>(functions.size());
      set_attributes(*module, *function, properties);
      functions.push_back(function.get());
      module->functions.push_back(std::move(function));
    }
    relocate(*module, memory);
    const CallGraph graph(*module);
    lay_out_shared(*module, graph);
    lower_functions(*module, graph);
  } catch (...) {
    functions.resize(before);
    release_variables(*module, memory);
    throw;
  }
  return module;
}

void unload_module(Module& module, DeviceMemory& memory, std::vector<const Function*>& functions) {
  release_variables(module, memory);
  for (const auto& function : module.functions) {
    functions[static_cast<std::size_t>(function->index)] = nullptr;
  }
}

}  // namespace ladder::emulator
