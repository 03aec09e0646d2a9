// Runs another program to its end and keeps what it said. For tools and whole programs; solvers
// run in the worker process, which is another matter.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ladder {

struct ProcessOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  double time_limit_s = 0;                                       // 0: none
  std::size_t output_limit_bytes = std::size_t{1} << 20;         // of each stream; the rest is lost
};

struct ProcessResult {
  int exit_code = -1;      // -1: it did not exit by itself
  int signal = 0;          // what killed it
  bool timed_out = false;  // killed by us
  std::string output;      // stdout
  std::string errors;      // stderr
  double seconds = 0;
};

// `command[0]` is looked up in PATH if it has no slash; stdin is empty. Throws MachineError if it
// cannot be started.
ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options = {});

// Whether a child of ours ends within this time; it still has to be waited for. What a child closes
// or says tells nothing of its end: only this does.
bool ends_within(pid_t child, double seconds);
// Kills a child that has not been waited for, and its process group. It may have left that.
void kill_with_group(pid_t child);

}  // namespace ladder
