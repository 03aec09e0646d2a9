// The parts of the gate, each in a file of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/gate.hpp"
#include "common/harness/solver_header.hpp"

namespace ladder {

// Collects what the checks find; safe for several threads.
class GateLog {
 public:
  explicit GateLog(std::filesystem::path source) : source_(std::move(source)) {}

  // One check: `holds`, or a finding.
  bool check(bool holds, const std::filesystem::path& file, int line, const std::string& message);
  void found(const std::filesystem::path& file, int line, const std::string& message);
  // An error's message that begins with "file:line: " gives them up to the finding's own.
  void found_error(const std::filesystem::path& file, std::string message);
  void skip(const std::string& reason);
  void count(int checks) { checks_ += checks; }
  GateReport report() const;  // sorted

 private:
  std::filesystem::path source_;
  std::atomic<int> checks_ = 0;
  mutable std::mutex mutex_;
  std::vector<GateFinding> findings_;
  std::vector<std::string> skipped_;
};

// A solver as the gate sees it: what the list says, the text, the header.
struct GateSolver {
  CatalogEntry entry;
  std::string text;
  SolverHeader header;
};

struct Gate {
  const Tree& tree;
  const Catalog& catalog;
  const Toolkit& toolkit;
  const ProblemRegistry& problems;
  const GateOptions& options;
  GateLog& log;
  std::vector<GateSolver> solvers;  // those whose file is there and whose header can be read

  bool covers(const std::string& chapter) const;
  bool covers(const CatalogEntry& entry) const;
  const GateSolver* find(const std::string& chapter, const std::string& name) const;
};

// The problem that the header names, or the chapter's first. Null if there is none.
const Problem* problem_of(const ProblemRegistry& problems, const std::string& chapter,
                          const SolverHeader& header);

// Lines of `child` that are not in `parent` or the reverse, whichever are more; prose and blank
// lines aside.
int changed_lines(std::string_view parent, std::string_view child);

void check_lists(Gate& gate);       // names in the lists are the files in the folders
void check_headers(Gate& gate);     // complete, with existing parents, within the budgets
void check_exercises(Gate& gate);   // committed stub = generated stub; sheets
void check_leftovers(Gate& gate);   // words that must not stay
void check_links(Gate& gate);       // relative links in Markdown
void check_results(Gate& gate);     // results/*.json
void check_formatting(Gate& gate);  // clang-format
void check_behaviour(Gate& gate);   // on the emulator

}  // namespace ladder
