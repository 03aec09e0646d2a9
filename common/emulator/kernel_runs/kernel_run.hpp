// One launch of one PTX kernel with bytes in and bytes out, on the emulator or on a GPU: what is to
// be compared must go the same way on both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ladder::emulator {

struct KernelRun {
  // .visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, ...)
  std::string ptx, kernel = "k";
  unsigned blocks = 1, threads = 128;
  std::uint32_t n = 0;
  std::vector<std::byte> more_parameters;  // what follows n, if k takes more; 8-byte aligned
  std::vector<std::byte> in;
  std::size_t out_bytes = 0;  // zeros before the launch
};

struct Outcome {
  std::vector<std::byte> out;
  std::string error;             // why there are no results
  bool machine_is_lost = false;  // what runs on it later fails too
  bool ok() const { return error.empty(); }
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string name() const = 0;
  // A module with kernels of several runs; it takes the place of the one before. "": loaded.
  virtual std::string load(const std::string& ptx) = 0;
  // A kernel of the loaded module; `run.ptx` is not read.
  virtual Outcome launch(const KernelRun& run) = 0;
  Outcome run(const KernelRun& run);
};

// `order_seed`: see Options.
std::unique_ptr<Machine> emulated_machine(std::uint64_t order_seed = 0);
// Through libcuda, which is loaded when called. Throws std::runtime_error: no driver, no GPU.
std::unique_ptr<Machine> gpu_machine(int number = 0);

// Does count pieces of work in `jobs` processes, so that a crash or a hang costs one piece:
// results[i] is what work(i) gave in a child that `prepare` had made ready. Child c does pieces c,
// c + jobs, ... A piece that dies or takes longer than `seconds` gives "" and a line in `deaths`;
// one that nobody began before the deadline gives "" alone.
struct Limits {
  int jobs = 2;
  unsigned seconds = 30;    // of a piece
  unsigned deadline_s = 0;  // of all of them; 0: none
};
struct Piece {
  std::string result;
  bool process_is_spoilt = false;  // the next piece wants another one
};
struct Death {
  std::size_t index;
  std::string how;  // "signal 11", "no end after 20 s"
};
using Work = std::function<Piece(std::size_t)>;
std::vector<std::string> in_processes(std::size_t count, const Limits& limits,
                                      const std::function<Work()>& prepare,
                                      std::vector<Death>& deaths);

// All runs on machines that `make` makes, one a process.
std::vector<Outcome> run_all(const std::vector<KernelRun>& runs,
                             const std::function<std::unique_ptr<Machine>()>& make,
                             const Limits& limits);

// Asked in a process of its own, since a process that has used the driver cannot fork. "": none,
// and the reason is on standard error.
std::string machine_name(const std::function<std::unique_ptr<Machine>()>& make);

}  // namespace ladder::emulator
