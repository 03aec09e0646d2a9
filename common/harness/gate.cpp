#include "common/harness/gate.hpp"

#include <algorithm>
#include <tuple>

#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

std::string GateFinding::text() const {
  return file + (line > 0 ? std::string(":") + std::to_string(line) : std::string()) + ": " +
         message;
}

bool GateLog::check(bool holds, const fs::path& file, int line, const std::string& message) {
  ++checks_;
  if (!holds) found(file, line, message);
  return holds;
}

void GateLog::found(const fs::path& file, int line, const std::string& message) {
  const std::string shown =
      file.is_absolute() ? file.lexically_relative(source_).string() : file.string();
  const std::lock_guard lock(mutex_);
  findings_.push_back({shown, line, join(lines_of(message), "; ")});
}

void GateLog::found_error(const fs::path& file, std::string message) {
  ++checks_;
  int line = 0;
  const std::string start = file.string() + ":";
  if (message.rfind(start, 0) == 0) {
    std::size_t end = start.size();
    while (end < message.size() && std::isdigit(static_cast<unsigned char>(message[end]))) {
      line = 10 * line + (message[end++] - '0');
    }
    if (message.compare(end, 2, ": ") == 0) ++end;
    message = std::string(trim(std::string_view(message).substr(end)));
  }
  found(file, line, message);
}

void GateLog::skip(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (std::find(skipped_.begin(), skipped_.end(), reason) == skipped_.end()) {
    skipped_.push_back(reason);
  }
}

GateReport GateLog::report() const {
  const std::lock_guard lock(mutex_);
  GateReport report{findings_, checks_, skipped_};
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const GateFinding& a, const GateFinding& b) {
                     return std::tie(a.file, a.line) < std::tie(b.file, b.line);
                   });
  return report;
}

bool Gate::covers(const std::string& chapter) const {
  return options.chapters.empty() || std::find(options.chapters.begin(), options.chapters.end(),
                                               chapter) != options.chapters.end();
}

bool Gate::covers(const CatalogEntry& entry) const {
  const bool wanted = options.ids.empty() || std::find(options.ids.begin(), options.ids.end(),
                                                       entry.id()) != options.ids.end();
  return wanted && covers(entry.chapter);
}

const GateSolver* Gate::find(const std::string& chapter, const std::string& name) const {
  for (const GateSolver& solver : solvers) {
    // An exercise stands for its solution here: the stub is nobody's parent.
    const bool eligible =
        solver.entry.kind != SolverKind::exercise && solver.entry.chapter == chapter;
    if (eligible && solver.entry.name == name) return &solver;
  }
  return nullptr;
}

const Problem* problem_of(const ProblemRegistry& problems, const std::string& chapter,
                          const SolverHeader& header) {
  if (!header.problem.empty()) return problems.find(header.problem);
  for (const Problem& problem : problems.all()) {
    if (problem.chapter == chapter) return &problem;
  }
  return nullptr;
}

namespace {

void read_solvers(Gate& gate) {
  for (const CatalogEntry& entry : gate.catalog.all()) {
    const bool learners = entry.kind == SolverKind::exercise && !gate.options.files;
    if (learners || !gate.covers(entry)) continue;
    std::error_code error;
    if (!fs::is_regular_file(entry.file, error)) continue;  // check_lists says so
    GateSolver solver{entry, read_file(entry.file), {}};
    try {
      solver.header = parse_solver_header(solver.text, entry.file.string());
      gate.log.count(1);
      gate.solvers.push_back(std::move(solver));
    } catch (const UsageError& bad) {
      gate.log.found_error(entry.file, bad.what());
    }
  }
}

void check_files(Gate& gate) {
  check_lists(gate);
  check_headers(gate);
  check_exercises(gate);
  check_leftovers(gate);
  check_links(gate);
  check_results(gate);
  check_formatting(gate);
}

}  // namespace

GateReport run_gate(const Tree& tree, const Catalog& catalog, const Toolkit& toolkit,
                    const ProblemRegistry& problems, const GateOptions& options) {
  GateLog log(tree.source);
  Gate gate{tree, catalog, toolkit, problems, options, log, {}};
  read_solvers(gate);
  if (options.files) check_files(gate);
  if (options.behaviour) check_behaviour(gate);
  return log.report();
}

}  // namespace ladder
