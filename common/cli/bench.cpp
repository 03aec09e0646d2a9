// `ladder bench`: times on a GPU; counters and the bound computed from them without one; or the
// emulator's own speed.
#include <cstdio>

#include "common/cli/bench_emulator.hpp"
#include "common/cli/course.hpp"
#include "common/cli/judging.hpp"
#include "common/cli/targets.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

namespace {

// The emulated device: an H200.
const Roofline emulated_roofline = {"H200", 4800, 67};

// Without a GPU nothing is timed: what the counters imply is shown instead, and said to be so.
int bench_computed(const BenchRequest& request, const Course& course, const Choice& choice) {
  if (!request.problem.empty())
    throw Error(Verdict::skipped, "to time a file needs a GPU (" + choice.text +
                                      ")\n  what it does: ./ladder profile --problem " +
                                      request.problem + " " + request.targets.front());
  const std::vector<CatalogEntry> entries = resolve_all(course.catalog, request.targets, false);
  const std::vector<SolverReport> reports =
      judge_all(course, entries, judge_options(request, choice));
  const Verdict verdict = worst_of(reports);
  if (request.json) {
    std::fputs(to_json(reports, facts_of(course, choice)).c_str(), stdout);
    return static_cast<int>(verdict);
  }
  std::vector<Cost> costs;
  for (const SolverReport& report : reports) {
    const Problem* problem = problems().find(report.problem);
    const bool counted = problem != nullptr && !report.counters.empty();
    costs.push_back(counted ? problem->cost(report.counted_at) : Cost{});
  }
  std::printf("%s, %s\n\n", title_of(entries).c_str(), choice.text.c_str());
  std::fputs(computed_table(reports, costs, emulated_roofline, ladder::Style::of_stdout()).c_str(),
             stdout);
  return static_cast<int>(verdict);
}

std::vector<BenchTarget> targets_of(const BenchRequest& request, const Course& course) {
  std::vector<BenchTarget> targets;
  if (request.problem.empty()) {
    for (const CatalogEntry& entry : resolve_all(course.catalog, request.targets, false))
      targets.push_back(bench_target(entry));
    return targets;
  }
  const Problem& problem = problem_named(request.problem);
  for (const std::string& file : request.targets) {
    require_source(file);
    targets.push_back({file, std::filesystem::absolute(file), &problem});
  }
  return targets;
}

}  // namespace

int bench(const BenchRequest& request) {
  if (request.emulator) return bench_emulator(request);
  if (request.targets.empty())
    throw UsageError("bench needs an id (./ladder bench 01) or --emulator");
  const Course course = open_course();
  const std::vector<BenchTarget> targets = targets_of(request, course);
  const Choice choice = choose_backends(request, course.toolkit);
  if (!choice.gpu) return bench_computed(request, course, choice);
  const JudgeOptions options = judge_options(request, choice);
  const BenchReport report = bench_solvers(course.tree, course.toolkit, targets, options);
  std::fputs(
      request.json ? to_json(report).c_str() : to_text(report, ladder::Style::of_stdout()).c_str(),
      stdout);
  Verdict verdict = Verdict::skipped;
  for (const BenchEntry& entry : report.entries) verdict = worst(verdict, entry.verdict);
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
