// The one versioned JSON schema of check, bench, profile and chapters/*/results, and the text that
// a terminal shows. Colour only on a terminal and without NO_COLOR.
#pragma once

#include <string>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/judge.hpp"

namespace ladder {

// {"schema": "kernel-ladder/1", "device": {...}, "entries": [{id, verdict, cases[], counters{},
// timings[]}]}: one entry a solver, one timing a size. `timed` adds its own to entries of that id.
std::string to_json(const std::vector<SolverReport>& reports, const DeviceFacts& device = {},
                    const BenchReport* timed = nullptr);
std::string to_json(const BenchReport& report);
// What kept a command from having anything to report: no entries, and a message.
std::string to_json(Verdict verdict, const std::string& message);
// Entries of id, at, warp_instructions, seconds, millions_per_s, cycles_each.
std::string to_json(const std::vector<EmulatorSpeed>& speeds, const DeviceFacts& device);

struct Style {
  bool colour = false;
  bool unicode = false;      // the locale's characters are UTF-8
  int width = 80;            // columns; a line that can be shortened never exceeds it
  static Style of_stdout();  // asks isatty, NO_COLOR, TERM, the locale, the window's width
};
// The verdict in words; "goal missed" where the answers themselves are right.
std::string headline(const SolverReport& report);
std::string to_text(const SolverReport& report, const Style& style);
std::string to_text(const BenchReport& report, const Style& style);
// What can be said about speed without a GPU: the bytes that each solver's requests moved in the
// emulator beside the compulsory ones, and the least time they take a GPU of the data sheet's
// bandwidth and arithmetic. `costs` are those of the reports' counted_at, in the same order.
struct Roofline {
  std::string device;          // "H200"
  double gigabytes_per_s = 0;  // of its memory
  double tflops = 0;           // fp32
};
std::string computed_table(const std::vector<SolverReport>& reports, const std::vector<Cost>& costs,
                           const Roofline& roofline, const Style& style);
// One row a solver: step, idea, verdict, counters or GB/s and % of the ceiling; below it, what
// went wrong. Columns that do not fit are left out from the right, ideas are cut.
std::string ladder_table(const std::vector<SolverReport>& reports, const BenchReport* bench,
                         const Style& style);

// A solver that failed while it was timed has failed: its verdict and message become the report's,
// and why another has no time becomes a note.
void add_findings(std::vector<SolverReport>& reports, const BenchReport& timed);

double geometric_mean(const std::vector<double>& values);  // 0 of none

}  // namespace ladder
