// Other programs: run one and keep what it prints, or hand it the terminal.
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
Finished run_and_capture(const std::vector<std::string>& command,
                         const std::function<void(const std::string&)>& line = {});

// With this process's own terminal; the exit code.
int run_here(const std::vector<std::string>& command);

}  // namespace ladder::cli
