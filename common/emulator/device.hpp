// The seam between the CUDA runtime's API (runtime/) and the device that executes PTX (exec/).
// It knows no CUDA API: load, allocate, copy, launch, query. Tests drive it without nvcc, and it
// could live in another process.
//
// A device address is an offset in a reserved range that the host cannot dereference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/counters.hpp"
#include "common/emulator/finding.hpp"
#include "common/emulator/occupancy.hpp"
#include "common/emulator/trace.hpp"
#include "common/emulator/watch.hpp"

namespace ladder::emulator {

using DeviceAddress = std::uint64_t;

struct DeviceProperties {
  std::string name = "NVIDIA H200 (emulated)";
  int major = 9, minor = 0;
  int multiprocessors = 132;
  std::size_t memory_bytes = std::size_t{64} << 30;
  std::size_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10;
  std::size_t shared_per_multiprocessor = 228 << 10;
  std::size_t constant_bytes = 64 << 10, l2_bytes = 50 << 20;
  int max_threads_per_block = 1024, max_threads_per_multiprocessor = 2048;
  int max_blocks_per_multiprocessor = 32, registers_per_block = 65536;
  int max_block[3] = {1024, 1024, 64};
  unsigned max_grid[3] = {2147483647u, 65535u, 65535u};
};

struct Options {
  int threads = 0;                                // host cores; 0: all
  Watch watch = watch_memcheck;                   // see watch.hpp
  TraceLimits trace;                              // watch_trace
  double time_limit_s = 0;                        // of one launch; 0: none
  std::uint64_t order_seed = 0;                   // 0: warps in order
  std::size_t stack_bytes = 16 << 10;             // of a thread, in kernels that call functions
  std::size_t heap_bytes = std::size_t{8} << 20;  // for malloc in kernels, all of it together
};

// Handles stay valid until their module is unloaded.
class Module;
class Function;

struct FunctionAttributes {
  std::string name;
  std::size_t static_shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
  int max_threads_per_block = 1024;
  int registers = 0;                         // 0: unknown (ptxas's business)
  int ptx_version = 0;                       // 75
  bool may_wait = false;                     // has what a wait for somebody outside is made of
  std::vector<std::size_t> parameter_bytes;  // to copy void** arguments
  std::vector<std::size_t> parameter_offsets;
  std::size_t parameter_total = 0;
};

struct Symbol {
  DeviceAddress address = 0;
  std::size_t bytes = 0;
};

struct Launch {
  const Function* function = nullptr;
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  // laid out by FunctionAttributes
  bool cooperative = false;
  // Called at most once, from any thread, when the grid seems to wait for somebody outside: another
  // kernel or the host. It goes on waiting.
  std::function<void()> when_stalled;
  // Asked, by any of the `threads` that execute the grid, when it has waited for long: whether
  // nobody else is left who could end that, since all the program's threads wait for this launch.
  // Then a wait that cannot end by itself is a fault. Not given: there may always be somebody.
  std::function<bool(int threads)> nobody_else;
};

// One launch of a kernel, with what it did.
struct LaunchRecord {
  std::string kernel;  // demangled
  Dim3 grid, block;
  std::size_t shared_bytes = 0;  // of a block, static and dynamic
  Occupancy occupancy;           // registers aside
  Counters counters;
  struct Line {
    std::string file;  // its path; "" without -lineinfo
    int line = 0;
    Counters counters;
  };
  std::vector<Line> lines;  // what each source line did; sums to `counters`
};

class Device {
 public:
  explicit Device(DeviceProperties properties = {}, Options options = {});
  ~Device();
  Device(const Device&) = delete;

  const DeviceProperties& properties() const;
  Options& options();

  // Parses and lowers. Throws Fault(invalid_ptx), or Fault(unsupported) for a later architecture.
  // An unsupported instruction is the fault of the kernels that can reach it: attributes() and
  // launch() throw Fault(unsupported) for those, before anything runs.
  // Managed variables live in host memory (as if map_host had been called): the host may
  // dereference their symbol's address.
  Module* load(std::string_view ptx, const std::string& name);
  // Several texts that were compiled apart, linked.
  Module* load(std::span<const std::string> texts, const std::string& name);
  void unload(Module* module);
  const Function* function(const Module* module, std::string_view name) const;  // nullptr
  const FunctionAttributes& attributes(const Function* function) const;
  Symbol symbol(const Module* module, std::string_view name) const;  // bytes 0: none

  // `what` names the allocation in reports. Addresses are 256-byte aligned, with red zones between.
  DeviceAddress allocate(std::size_t bytes, const std::string& what = "cudaMalloc");
  void rename(DeviceAddress address, const std::string& what);  // in reports; nothing if not live
  void free(DeviceAddress address);  // throws Fault(invalid_address): double free, not a start
  struct Allocation {
    DeviceAddress address;
    std::size_t bytes;
    std::string what;
  };
  std::vector<Allocation> allocations() const;  // live, without modules' variables
  std::size_t bytes_in_use() const;
  bool is_device_address(DeviceAddress address) const;  // inside the reserved range
  // The live allocation (or module variable) that holds address, if any.
  const Allocation* find(DeviceAddress address) const;

  // Bounds are checked: Fault(invalid_address) with both ranges named. `what`: the call, in reports.
  void copy_in(DeviceAddress to, const void* from, std::size_t bytes);
  void copy_out(void* to, DeviceAddress from, std::size_t bytes,
                const std::string& what = "a copy");
  void copy(DeviceAddress to, DeviceAddress from, std::size_t bytes,
            const std::string& what = "a copy");
  void set(DeviceAddress to, std::uint8_t value, std::size_t bytes);

  // Host memory that kernels may touch (pinned, mapped, managed): registered, then its device
  // address equals its host address.
  void map_host(void* address, std::size_t bytes, const std::string& what);
  void unmap_host(void* address);

  // Runs the whole grid before it returns. Throws Fault for a bad launch or a fault in the kernel.
  // May be called by several threads at once; loading and unloading modules meanwhile, other than
  // those that run, is fine too. Each launch is watched for itself: what two of them do to each
  // other is not looked at.
  void launch(const Launch& launch);

  const Counters& counters() const;
  // Of the launches since the counters were reset that were watched for counters; the oldest
  // `most_launch_records` of them.
  static constexpr std::size_t most_launch_records = 10000;
  const std::vector<LaunchRecord>& launch_records() const;
  void reset_counters();

  // Of the launches since it was cleared that were watched for it, in the order of their ends.
  Trace trace() const;
  void clear_trace();

  // What observers found since the last call: each kind once for each pair of instructions.
  std::vector<Finding> take_findings();

  // Device printf and assert text goes here; default stdout.
  void set_output(std::function<void(std::string_view)> output);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ladder::emulator
