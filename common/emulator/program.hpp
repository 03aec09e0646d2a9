// Runs a whole CUDA program under the emulator: what kind of file it is, whether its calls can be
// intercepted, and the environment that does so. Knows no CUDA; the caller decides what to print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/watch.hpp"

namespace ladder::emulator {

enum class ProgramKind {
  cuda_shared,     // needs libcudart.so.N: runs under the emulator
  cuda_static,     // the runtime is inside (nvcc's default): cannot be intercepted
  driver_api,      // needs libcuda.so, which the emulator does not replace
  not_cuda,        // an executable that does not use CUDA
  script,          // starts with #!
  shared_library,  // a CUDA or other .so: has no main
  not_executable,  // another file: source, object, text
  wrong_machine,   // an executable of another architecture
  not_permitted,   // no permission to read or to execute
  directory,
  missing,
};

struct Program {
  std::filesystem::path path;
  ProgramKind kind = ProgramKind::missing;
  std::string cudart;   // cuda_shared: the soname it needs, "libcudart.so.13"
  std::string message;  // why it cannot run and what to do; empty for cuda_shared
  bool runs() const { return kind == ProgramKind::cuda_shared; }
};

// Reads the file, never executes it and never throws: any bytes are a Program.
Program inspect_program(const std::filesystem::path& path);

struct ProgramOptions {
  // The drop-in runtime: <build>/common/emulator/libcudart.so.N, or what --cudart names.
  std::filesystem::path cudart;
  int threads = 0;               // host cores; 0: all
  double time_limit_s = 0;       // of one kernel; 0: none
  std::string fail;              // "cudaMalloc:2": this call fails
  std::filesystem::path report;  // JSON written at exit; empty: none
  std::filesystem::path trace;   // JSON of who touched which address; empty: none
  TraceLimits trace_limits;      // of it
  std::string device;            // "t4", "a100"; empty: an H200
  bool quiet = false;            // faults are not printed on stderr
  std::string observers;         // "memcheck,racecheck"; empty: memcheck
  std::uint64_t order_seed = 0;  // of warps; 0: in order
  int fault_exit = 0;            // exit code of a program that would exit with 0 despite a fault
};

// The variables that run a program under the emulator, to be added to its environment.
std::vector<std::pair<std::string, std::string>> program_environment(const ProgramOptions& options);

// Throws UsageError with `program.message` if the program does not run, or if it needs another
// soname than the library has; MachineError if there is no such library.
void require_runtime(const Program& program, const ProgramOptions& options);
// Replaces this process by the program. Throws what require_runtime() throws; MachineError if exec
// fails.
[[noreturn]] void run_program(const Program& program, const std::vector<std::string>& arguments,
                              const ProgramOptions& options);

}  // namespace ladder::emulator
