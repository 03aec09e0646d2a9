// A worker as the checker sees it: a process that loads one CUDA runtime and some solvers, and
// answers calls until it is destroyed. Limits in time and memory are enforced from here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/emulator/watch.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder {

// A file descriptor that is closed once.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return number_; }
  int release();

 private:
  int number_;
};

struct WorkerOptions {
  std::filesystem::path executable;  // ladder-worker
  std::filesystem::path cudart;
  int device = 0;
  double time_limit_s = 20;  // of one request
  std::size_t memory_limit_bytes = 0;
  // Set for the emulator: LADDER_EMULATOR_TIME_LIMIT a little below time_limit_s, so that the
  // message names the line that did not end; RLIMIT_DATA, which a GPU's driver would not survive.
  bool emulated = false;
  int emulator_threads = 0;   // 0: all cores
  bool exact_arrays = false;  // no guards: a checker of the runtime's own sees where arrays end
};

// How a request ended.
struct Answer {
  enum class End {
    replied,
    exited,     // the process ended itself: `status`
    killed,     // by a signal: `status`
    timed_out,  // by us
  };
  End end = End::replied;
  int status = 0;
  std::unique_ptr<protocol::Reply> reply;  // zeroed unless replied
  double seconds = 0;                      // wall clock, from here
};

// The arrays of one case with one content, in memory shared with a worker: inputs sealed against
// writes, results against resizing.
class Exchange {
 public:
  // Checked: all inputs travel, all arrays come back. Timed: inputs that the device can make from
  // a seed are made there, only outputs come back.
  enum class Purpose { checked, timed };
  // Guards stand around every array. Throws MachineError when there is no memory for it.
  Exchange(const Problem& problem, const Parameters& parameters, const Inputs& inputs,
           std::uint64_t guard_bytes, Purpose purpose = Purpose::checked);

  const protocol::Command& command() const { return *command_; }
  bool returned(std::size_t argument) const { return command_->arguments[argument].returned != 0; }
  int inputs() const { return inputs_.get(); }
  int results() const { return results_.get(); }

  // What an array argument holds after a call: a private copy.
  Buffer result(std::size_t argument) const;
  // The first guard byte that changed: its distance from the array, negative before it.
  struct Damage {
    std::size_t argument;
    std::int64_t offset;  // bytes before the start (negative) or from the end on
  };
  std::vector<Damage> damaged_guards() const;

 private:
  void read(std::uint64_t offset, std::span<std::byte> into) const;

  const Problem& problem_;
  Parameters parameters_;
  std::unique_ptr<protocol::Command> command_;
  Descriptor inputs_, results_;
};

// What the emulator does beside executing a call; a GPU does none of it.
struct Watching {
  emulator::Watch what = emulator::watch_memcheck;
  std::uint64_t order_seed = 0;
  emulator::TraceLimits trace = {};  // if `what` has watch_trace
};

class WorkerProcess {
 public:
  // Starts the process and opens its runtime; see opened(). Throws MachineError when the worker
  // itself cannot be started.
  explicit WorkerProcess(const WorkerOptions& options);
  ~WorkerProcess();  // kills it with all that it started
  WorkerProcess(const WorkerProcess&) = delete;

  // The answer to opening the runtime; its reply describes the device.
  const Answer& opened() const { return opened_; }
  bool alive() const { return alive_; }
  const WorkerOptions& options() const { return options_; }
  std::uint64_t guard_bytes() const;

  Answer load(const std::filesystem::path& solver);
  Answer call(std::uint32_t solver, const Exchange& exchange, const Watching& watching = {});
  // A call between events, from cold L2, on inputs of another seed (those made on the device).
  Answer timed_call(std::uint32_t solver, const Exchange& exchange, std::uint64_t seed,
                    bool with_results);
  // Any other request; `command.path` and the rest are the caller's.
  Answer request(const protocol::Command& command, int inputs = -1, int results = -1);

  // What the solver wrote to stdout and stderr so far (the first 16 KB).
  const std::string& printed() const { return printed_; }
  bool printed_more() const { return printed_more_; }

 private:
  void spawn();
  void drain();
  void end(Answer& answer, bool timed_out);

  WorkerOptions options_;
  pid_t process_ = -1;
  Descriptor process_descriptor_, channel_, output_;
  bool alive_ = false;
  Answer opened_;
  std::string printed_;
  bool printed_more_ = false;
};

}  // namespace ladder
