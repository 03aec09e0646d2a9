// Timing of several solvers of one problem at one size, interleaved in one worker on the GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/harness/bench.hpp"

namespace ladder {

struct BenchSubject {
  std::string id;
  std::filesystem::path file;
  SolverHeader header;
};

// One timing a subject. Throws MachineError if one of them cannot be timed: its answers are
// expected to have been checked.
std::vector<Timing> time_subjects(const Tree& tree, const Toolkit& toolkit, const Problem& problem,
                                  const std::vector<BenchSubject>& subjects, const Parameters& at,
                                  const JudgeOptions& options);

}  // namespace ladder
