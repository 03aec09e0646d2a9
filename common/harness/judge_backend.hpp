// Judges one built solver on one backend: cases, repeats, empty sizes, goals. The parts of
// judge_solver that see a worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/compare.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/solver_run.hpp"

namespace ladder {

// Another seed for other contents of the same case.
std::uint64_t next_seed(std::uint64_t seed);

// Whether the header's @limits hold; outside them a solver must refuse or be right.
bool within_limits(const SolverHeader& header, const Parameters& parameters);

// The problem's largest small size within the limits: where counters are taken.
std::optional<Parameters> counting_size(const Problem& problem, const SolverHeader& header);

class BackendJudge {
 public:
  BackendJudge(const Problem& problem, const SolverHeader& header, const JudgeOptions& options,
               Backend backend, SolverRun& run, SolverReport& report);

  // Adds cases, notes and the first failure's message to the report; returns the verdict.
  Verdict judge_cases();
  // The bits of this many calls on equal contents that differ from the first's: notes, or a
  // failure when a repeat is wrong. Sets differing_repeats(), if a case is small enough to repeat.
  Verdict judge_repeats();
  std::optional<int> differing_repeats() const { return differing_repeats_; }

  // Counters of one call at these sizes (emulator). Not solved: see the outcome.
  Outcome count(const Parameters& at, std::map<std::string, double>& counters);

 private:
  struct Tried {
    Verdict verdict = Verdict::solved;
    std::string message;
    double seconds = 0;
  };
  std::vector<Case> cases() const;
  Tried try_case(const Case& tried);
  Tried try_contents(const Case& tried, const Inputs& inputs, const Watching& watching);
  std::string again_text(const Case& contents, const Watching& how) const;
  Watching watching(const Case& tried, std::uint64_t order_seed) const;
  Tried try_empty(const Parameters& sizes);
  Tried explain(const Case& tried, const Tried& first);
  void note_leak(std::uint64_t before, std::uint64_t after);
  void record(const Case& tried, const Tried& result);
  std::string with_printed(std::string message);

  const Problem& problem_;
  const SolverHeader& header_;
  const JudgeOptions& options_;
  Backend backend_;
  SolverRun& run_;
  SolverReport& report_;
  History history_;
  std::optional<int> differing_repeats_;
};

}  // namespace ladder
