#include "common/emulator/runtime/modules.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "common/emulator/runtime/fat_binary.hpp"
#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {
namespace {

std::string object_of(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr || *info.dli_fname == '\0')
    return "the program";
  return std::filesystem::path(info.dli_fname).filename().string();
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text == nullptr ? name : text.get();
}

// Machine code only, or only for later devices, has an error code of its own.
std::vector<std::string> ptx_for(const FatBinary& binary, const Device& device) {
  try {
    return ptx_of(binary.wrapper, device.properties());
  } catch (const Fault& fault) {
    if (fault.kind() != FaultKind::unsupported) throw;
    throw ApiError(cudaErrorNoKernelImageForDevice, fault.what());
  }
}

}  // namespace

FatBinary* Modules::add(const void* wrapper) {
  binaries_.push_back({});
  binaries_.back().wrapper = wrapper;
  binaries_.back().name = object_of(wrapper);
  return &binaries_.back();
}

void Modules::remove(FatBinary* binary, Device* device) {
  if (!registered(binary)) return;
  std::erase_if(handles_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == binary; });
  if (binary->module != nullptr && device != nullptr) device->unload(binary->module);
  binaries_.remove_if([&](const FatBinary& entry) { return &entry == binary; });
}

bool Modules::registered(const FatBinary* binary) const {
  return std::any_of(binaries_.begin(), binaries_.end(),
                     [&](const FatBinary& entry) { return &entry == binary; });
}

void Modules::add_kernel(FatBinary* binary, const void* host_function, const char* name) {
  auto kernel = std::make_unique<Kernel>();
  kernel->binary = binary;
  kernel->name = name;
  kernel->shown_name = demangled(name);
  handles_[kernel.get()] = kernel.get();
  std::unique_ptr<Kernel>& entry = kernels_[host_function];
  if (entry != nullptr) handles_.erase(entry.get());
  entry = std::move(kernel);
}

void Modules::add_variable(const void* host_variable, Variable variable) {
  variables_[host_variable] = std::move(variable);
}

Kernel* Modules::kernel(const void* handle) {
  if (const auto entry = kernels_.find(handle); entry != kernels_.end()) return entry->second.get();
  const auto entry = handles_.find(handle);
  return entry == handles_.end() ? nullptr : entry->second;
}

const Function* Modules::function(Kernel& kernel, Device& device) {
  if (kernel.function != nullptr) return kernel.function;
  load(*kernel.binary, device);
  kernel.function = device.function(kernel.binary->module, kernel.name);
  if (kernel.function == nullptr)
    throw ApiError(cudaErrorInvalidDeviceFunction,
                   "no kernel " + kernel.shown_name + " in the PTX of " + kernel.binary->name);
  return kernel.function;
}

const Variable* Modules::variable(const void* host_variable) const {
  const auto entry = variables_.find(host_variable);
  return entry == variables_.end() ? nullptr : &entry->second;
}

Symbol Modules::symbol(const Variable& variable, Device& device) {
  load(*variable.binary, device);
  const Symbol symbol = device.symbol(variable.binary->module, variable.name);
  if (symbol.bytes == 0)
    throw ApiError(cudaErrorInvalidSymbol,
                   "no variable " + variable.name + " in the PTX of " + variable.binary->name);
  return symbol;
}

void Modules::place_managed(FatBinary& binary, Device& device) {
  for (const auto& [key, variable] : variables_) {
    if (variable.binary == &binary && variable.managed_pointer != nullptr)
      return load(binary, device);
  }
}

void Modules::unload_all(Device& device) {
  for (const auto& [key, kernel] : kernels_) kernel->function = nullptr;
  for (FatBinary& binary : binaries_) {
    if (binary.module != nullptr) device.unload(binary.module);
    binary.module = nullptr;
  }
}

void Modules::load(FatBinary& binary, Device& device) {
  if (binary.module != nullptr) return;
  if (binary.failure) std::rethrow_exception(binary.failure);
  try {
    binary.module = device.load(ptx_for(binary, device), binary.name);
  } catch (...) {
    binary.failure = std::current_exception();
    throw;
  }
  for (const auto& [key, variable] : variables_)
    if (variable.binary == &binary && variable.managed_pointer != nullptr)
      *variable.managed_pointer = pointer_to(symbol(variable, device).address);
}

}  // namespace ladder::emulator
