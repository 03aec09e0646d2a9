// Judges a solver: builds it, runs it in a worker on a backend for the problem's cases, compares
// what came back, and says what happened. Trusted side: expected values never leave this process.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/emulator/watch.hpp"
#include "common/harness/builder.hpp"
#include "common/harness/catalog.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/solver_header.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

enum class Backend { emulator, gpu };
std::string_view name_of(Backend backend);

struct JudgeOptions {
  std::vector<Backend> backends = {Backend::emulator};  // in this order; the worse verdict counts
  int gpu = 0;
  std::filesystem::path cudart;  // --cudart: another drop-in runtime, instead of ours/the toolkit's
  std::vector<CaseSelector> cases;  // --case; empty: the generated ones
  std::uint64_t seed = 1;
  double time_limit_s = 20;  // one worker call; build excluded
  std::size_t memory_limit_bytes = std::size_t{8} << 30;
  std::optional<int> architecture;  // --arch, for a stranger's file
  bool own = false;                 // ours: N = 0 is tried as well
  // What the emulator's observers look for, and in which order its warps run; without a choice, the
  // default checks at sizes that are small enough, and several orders.
  std::optional<emulator::Watch> observers;
  std::optional<std::uint64_t> order_seed;
  bool goals = true;
  bool claims = false;        // the gate asks for them
  bool exact_arrays = false;  // no guards round arrays: compute-sanitizer then sees their ends
  bool keep_going = false;    // all cases, even after the first that fails
  std::function<void(int done, int total, const std::string& what)> progress;
};

bool asks_for(const JudgeOptions& options, Backend backend);

struct CaseReport {
  Case tried;
  Backend backend = Backend::emulator;
  Verdict verdict = Verdict::solved;
  std::string message;  // several lines; empty when solved
  double seconds = 0;
};

struct GoalReport {
  Relation relation;
  bool judged = false;  // a time goal without a GPU is not
  bool met = false;
  std::string message;                // "global.load.requests is 512, wanted == 128 (at N=4096)"
  Verdict verdict = Verdict::solved;  // of the solver at the goal's size; if not solved: not met
};

struct SolverReport {
  std::string id;  // or the file's path for a stranger's
  std::string file;
  std::string problem;
  std::string idea;
  Verdict verdict = Verdict::solved;
  std::string message;             // the first failure, as shown
  std::vector<std::string> notes;  // "nondeterministic: 3 of 40 repeats differ"
  std::vector<CaseReport> cases;
  std::vector<GoalReport> goals;           // claims too, when asked for
  std::map<std::string, double> counters;  // emulator, at the chapter's counting size
  Parameters counted_at;
};

// Never throws for what the solver does; throws UsageError / MachineError for what we do.
SolverReport judge_solver(const Tree& tree, const Toolkit& toolkit,
                          const std::filesystem::path& file, const Problem& problem,
                          const SolverHeader& header, const JudgeOptions& options);

// A whole program (a .cu with main): judged on the emulator by making each of its CUDA calls fail
// in turn; each failure must be reported with a non-zero exit and everything freed.
SolverReport judge_program(const Tree& tree, const Toolkit& toolkit,
                           const std::filesystem::path& file, const SolverHeader& header,
                           const JudgeOptions& options);

}  // namespace ladder
