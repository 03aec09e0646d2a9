// Other programs that are watched while they run, or handed the terminal; those that only answer
// are run by the harness (common/harness/process.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ladder::cli {

struct Finished {
  int code = 127;      // exit code; 128 + signal; 127 when it could not be started
  std::string output;  // standard output and error together
};

// `line`, when given, sees each line as it comes. Standard input is empty.
Finished run_and_watch(const std::vector<std::string>& command,
                       const std::function<void(const std::string&)>& line = {});

// With this process's own terminal; the exit code.
int run_here(const std::vector<std::string>& command);

// Starts a program that outlives this one, away from its terminal; what it says is lost. False when
// it could not be started.
bool start_detached(const std::vector<std::string>& command);

}  // namespace ladder::cli
