// What a solver, or a whole program, did on the emulator: each launch with its counters and those of
// its source lines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/watch.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/report.hpp"

namespace ladder {

struct LineProfile {
  std::string file;  // its path; "": compiled without -lineinfo
  int line = 0;
  std::map<std::string, double> counters;  // those that are not 0
};

struct LaunchProfile {
  std::string kernel;
  int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  double shared_bytes = 0;
  int blocks = 0, warps = 0, of_warps = 0;  // of one multiprocessor, registers aside
  std::string limited_by;
  std::map<std::string, double> counters;  // those that are not 0
  std::vector<LineProfile> lines;
};

struct Profile {
  std::string id;
  std::string file;
  std::string problem;
  Parameters at;
  Verdict verdict = Verdict::solved;  // of running it: its answer is not judged
  std::string message;
  std::vector<LaunchProfile> launches;
  std::string trace;  // JSON (emulator/runtime/trace_report.hpp), if it was asked for
};

// From the emulator's JSON (emulator/runtime/launch_report.hpp). Throws MachineError if it is not.
std::vector<LaunchProfile> parse_launches(std::string_view json);
// From the file that LADDER_EMULATOR_REPORT names.
std::vector<LaunchProfile> parse_launches_of_report(std::string_view json);
std::vector<std::string> faults_of_report(std::string_view json);

// One call of solve() at this size; `trace`: what to trace of it. Throws UsageError for a size that
// the problem does not have.
Profile profile_solver(const Tree& tree, const Toolkit& toolkit, const std::filesystem::path& file,
                       const Problem& problem, const SolverHeader& header, const CaseSelector& at,
                       const JudgeOptions& options,
                       const std::optional<emulator::TraceLimits>& trace = {});

// What strikes in a launch, a sentence each, the worst first; none if nothing does.
std::vector<std::string> remarks_on(const LaunchProfile& launch);

// `all_lines`: of each source file all lines, not only those where most happens.
std::string to_text(const Profile& profile, bool all_lines, const Style& style);
std::string to_json(const std::vector<Profile>& profiles, const DeviceFacts& device);

}  // namespace ladder
