// The fat binaries that a program registered, and the kernels and variables in them. Names are
// scoped to their fat binary. A binary is read and its PTX loaded when something in it is first
// used, so an instruction that we do not support hurts only those who use it.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

struct FatBinary {
  const void* wrapper = nullptr;  // what __cudaRegisterFatBinary got
  std::string name;               // the file it is in, for messages
  Module* module = nullptr;       // once loaded
  std::exception_ptr failure;     // why it could not be loaded
};

struct Kernel {
  FatBinary* binary = nullptr;
  std::string name;                    // mangled, as in PTX
  std::string shown_name;              // as in the source: "saxpy(int, float const*, float*)"
  const Function* function = nullptr;  // once loaded
  int dynamic_shared_limit = -1;       // cudaFuncSetAttribute; -1: the default, 48 KiB - static
  int carveout = -1;
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;
  bool constant = false;
  void** managed_pointer = nullptr;  // the host's pointer to a managed variable
};

class Modules {
 public:
  FatBinary* add(const void* wrapper);
  void remove(FatBinary* binary, Device* device);  // device: nullptr if none was made yet
  void add_kernel(FatBinary* binary, const void* host_function, const char* name);
  void add_variable(const void* host_variable, Variable variable);

  // By the host function's address, or by a handle that this returned; nullptr: not registered.
  Kernel* kernel(const void* handle);
  // Loads. Throws Fault (invalid_ptx, unsupported) or ApiError.
  const Function* function(Kernel& kernel, Device& device);

  const Variable* variable(const void* host_variable) const;  // nullptr: not registered
  Symbol symbol(const Variable& variable, Device& device);    // loads, throws as function()

  // Loads the binary if it has managed variables, so that the host's pointers to them are valid.
  void place_managed(FatBinary& binary, Device& device);

  bool registered(const FatBinary* binary) const;
  void unload_all(Device& device);  // cudaDeviceReset

 private:
  void load(FatBinary& binary, Device& device);

  std::list<FatBinary> binaries_;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;  // by host function
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, Variable> variables_;  // by host variable
};

}  // namespace ladder::emulator
