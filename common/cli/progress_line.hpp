// One line on standard error that says how far a long command is and how long it may take; on
// anything but a terminal, a plain line for each finished part.
#pragma once

#include <chrono>
#include <string>

namespace ladder::cli {

class ProgressLine {
 public:
  // `parts` of about equal length; 0 or 1: no time is estimated and a pipe sees nothing.
  explicit ProgressLine(int parts);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;

  // Part number `part` (from 0) is being worked on; `fraction` of it is done.
  void show(int part, const std::string& what, double fraction = 0);
  void finished(int part, const std::string& what);
  void clear();

 private:
  int parts_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace ladder::cli
