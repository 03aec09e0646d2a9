// `ladder dev parity`: every step and solution on the emulator and on a GPU, bit by bit.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/progress_line.hpp"
#include "common/harness/bench.hpp"
#include "common/harness/table.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

constexpr double kElements = 1e6;
// Where a contract has no exact cases (silu, gelu), approximate instructions may differ this much.
constexpr double kApproximateUlp = 8;

// A million elements where the only size is N, else the largest of the small sizes.
Parameters size_of(const Problem& problem) {
  const std::vector<Parameters> sizes = problem.sizes(Tier::small);
  Parameters size = sizes.back();
  if (size.entries().size() == 1) size.set("N", kElements);
  return size;
}

Verdict judge(const Problem& problem, Parity& parity) {
  if (parity.verdict != Verdict::wrong || problem.has_exact) return parity.verdict;
  for (const Parity::Output& output : parity.outputs)
    if (output.largest_ulp > kApproximateUlp) return Verdict::wrong;
  return Verdict::solved;
}

std::string differences_of(const Parity& parity) {
  std::string text;
  for (const Parity::Output& output : parity.outputs) {
    char line[200];
    std::snprintf(line, sizeof line, "%s: %lld of %lld differ, at most %g ulp",
                  output.argument.c_str(), static_cast<long long>(output.differing),
                  static_cast<long long>(output.elements), output.largest_ulp);
    text += (text.empty() ? "" : "; ") + std::string(line);
  }
  return text;
}

}  // namespace

int dev_parity(const Running& request) {
  const Course course = open_course();
  Running running = request;
  running.on = "gpu";  // skipped, with the reason, where there is none
  const JudgeOptions options = judge_options(running, choose_backends(running, course.toolkit));
  std::vector<CatalogEntry> entries;
  for (const CatalogEntry& entry : course.catalog.all())
    if (entry.kind == SolverKind::step || entry.kind == SolverKind::solution)
      if (!read_solver_header(entry.file).is_program()) entries.push_back(entry);
  ProgressLine line(static_cast<int>(entries.size()));
  Verdict verdict = Verdict::skipped;
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CatalogEntry& entry = entries[i];
    line.show(static_cast<int>(i), "comparing " + entry.short_id());
    const Problem& problem = problem_of(entry, read_solver_header(entry.file));
    Parity parity = compare_backends(course.tree, course.toolkit, entry.file, problem,
                                     size_of(problem), running.seed, options);
    const Verdict one = judge(problem, parity);
    verdict = worst(verdict, one);
    text += entry.id() + " at " + size_of(problem).text() + ": " + std::string(name_of(one)) +
            "; " + differences_of(parity) + "\n";
    if (one != Verdict::solved && !parity.message.empty()) text += "  " + parity.message + "\n";
  }
  line.clear();
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
