// What a program did under the emulator: its calls, its faults, what it left allocated; and the
// failures that were asked for (LADDER_EMULATOR_FAIL). Not thread-safe: the runtime's lock guards
// it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

class Journal {
 public:
  Journal();  // reads LADDER_EMULATOR_FAIL, _REPORT, _TRACE and _QUIET

  // Counts a call of an API function. True: this is the call that has to fail.
  bool count_call(const char* function);

  // Keeps the fault's text, and prints it unless quiet.
  void record_fault(const std::string& text);
  // Prints one message on stderr unless quiet; the same text only once.
  void say(const std::string& text);

  const std::vector<std::string>& faults() const { return faults_; }
  void forget_faults() { faults_.clear(); }
  const std::string& report_file() const { return report_file_; }
  const std::string& trace_file() const { return trace_file_; }

  // Writes the report: {"calls": {}, "faults": [], "leaks": [], "launches": n, "counters": {},
  // "launch_records": []} (launch_report.hpp).
  void write_report(const Counters& counters, const std::vector<Device::Allocation>& leaks,
                    const std::vector<LaunchRecord>& launches) const;
  void write_trace(const Trace& trace) const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> calls_;
  std::vector<std::string> faults_;
  std::set<std::string, std::less<>> said_;
  std::string failing_function_;
  std::uint64_t failing_call_ = 0;
  std::string report_file_, trace_file_;
  bool quiet_ = false;
};

}  // namespace ladder::emulator
