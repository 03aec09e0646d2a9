// `ladder bench`: times on a GPU; counters and the bound computed from them without one; or the
// emulator's own speed.
#include <cstdio>

#include "common/cli/bench_emulator.hpp"
#include "common/cli/course.hpp"
#include "common/cli/judging.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

int bench(const BenchRequest& request) {
  if (request.emulator) return bench_emulator(request);
  if (request.ids.empty()) throw UsageError("bench needs an id (ladder bench 01) or --emulator");
  const Course course = open_course();
  const std::vector<CatalogEntry> entries = resolve_all(course.catalog, request.ids, false);
  const Choice choice = choose_backends(request, course.toolkit);
  const JudgeOptions options = judge_options(request, choice);
  const BenchReport report = bench_solvers(course.tree, course.toolkit, entries, options);
  std::fputs(
      request.json ? to_json(report).c_str() : to_text(report, ladder::Style::of_stdout()).c_str(),
      stdout);
  Verdict verdict = Verdict::skipped;
  for (const BenchEntry& entry : report.entries) verdict = worst(verdict, entry.verdict);
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
