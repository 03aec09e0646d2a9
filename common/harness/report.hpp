// The one versioned JSON schema of check, bench, profile and chapters/*/results, and the text that
// a terminal shows. Colour only on a terminal and without NO_COLOR.
#pragma once

#include <string>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/judge.hpp"

namespace ladder {

std::string to_json(const std::vector<SolverReport>& reports);
std::string to_json(const BenchReport& report);

struct Style {
  bool colour = false;
  int width = 80;
  static Style of_stdout();  // asks isatty, NO_COLOR, the window's width
};
std::string to_text(const SolverReport& report, const Style& style);
// One row a solver: step, idea, verdict, counters or GB/s and % of the ceiling.
std::string ladder_table(const std::vector<SolverReport>& reports, const BenchReport* bench,
                         const Style& style);

}  // namespace ladder
