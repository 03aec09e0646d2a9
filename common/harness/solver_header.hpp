// The `//!` block of a solver: the only source for the site, the step graph, the command
// line, the goals and the hardware gate. Unknown keys are errors with file:line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// "sm_80 shared=100K"
struct Needs {
  int architecture = 75;         // lowest virtual architecture
  std::size_t shared_bytes = 0;  // dynamic + static shared memory of one block
};

// "global.load.sectors == ideal at N=4096", "time <= 1.1 x step_05 at N=2^26": @goal and @claim.
struct Relation {
  enum class Operator { equal, less_equal, greater_equal, less, greater };
  std::string metric;  // "time", or a counter's name
  Operator op = Operator::equal;
  std::optional<double> factor;  // a number, or the number before "x REF"
  std::string reference;         // "", "ideal", or a solver ("step_05")
  std::optional<Parameters> at;
  std::string text;  // as written
  int line = 0;
};

// "N <= 1024": sizes the solver accepts; outside them it must refuse().
struct Limit {
  std::string text;
  std::string parameter;
  Relation::Operator op = Relation::Operator::less_equal;
  std::int64_t value = 0;
  bool holds(const Parameters& parameters) const;
};

// "@fails wrong at N=257 passes N=256", "@fails trap racecheck": both halves are checked.
struct Failure {
  enum class Kind { none, wrong, trap, budget, goal };  // budget: time or memory
  Kind kind = Kind::none;
  std::string observer;                // "" or the observer that must name it
  std::vector<CaseSelector> fails_at;  // empty: at the generated cases
  std::vector<CaseSelector> passes_at;
};

// One line of prose and where it stands: `//!` lines may also stand between lines of code.
struct ProseLine {
  int line = 0;
  std::string text;
  bool of_solution = false;  // after @solution
};

struct SolverHeader {
  std::string title;   // "Step 02: one atomic per block"
  std::string idea;    // the title's part after the colon
  std::string anchor;  // "{#reduction_step_02}"
  std::vector<std::string> builds_on;
  std::vector<std::string> rewrites;
  Needs needs;
  std::vector<std::string> introduces;  // @new
  std::string problem;                  // "" = the chapter's first
  std::vector<Limit> limits;
  std::optional<std::string> nondeterministic;  // why
  std::optional<std::string> bound;             // @bound: a named looser/tighter bound
  std::vector<std::string> links;               // libraries: "cublas"
  std::vector<Relation> goals;
  std::vector<Relation> claims;
  Failure stub_fails{Failure::Kind::wrong, "", {}, {}};
  Failure fails;                       // mutants
  std::string prose;                   // the block without its keys, up to @solution
  std::string solution_prose;          // after @solution
  std::vector<ProseLine> prose_lines;  // both, line by line
  // "@problem whole_program": a file with its own main, for judge_program.
  bool is_program() const { return problem == "whole_program"; }
};

// Throws UsageError "file:line: ..." for an unknown key, a key with a bad value, a key given
// twice (only @goal and @claim repeat). A file with no `//!` block, or one with neither a
// `# title` nor a key of ours (a stranger's Doxygen comments), gives the default header.
SolverHeader parse_solver_header(std::string_view text, const std::string& file);
SolverHeader read_solver_header(const std::filesystem::path& file);

// "N=257 distribution=outlier": parse_parameters plus the one reserved word. Throws UsageError.
CaseSelector parse_case(std::string_view text);

// "N=2^26,M=7" or "N=257 M=7" -> parameters; throws UsageError.
Parameters parse_parameters(std::string_view text);

}  // namespace ladder
