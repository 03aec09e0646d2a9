// `ladder run`: every step of a chapter, as one table.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/judging.hpp"
#include "common/harness/report.hpp"

namespace ladder::cli {

int run(const RunRequest& request) {
  const Course course = open_course();
  const std::vector<CatalogEntry> entries =
      resolve_all(course.catalog, request.ids, request.exercises);
  const Choice choice = choose_backends(request, course.toolkit);
  const JudgeOptions options = judge_options(request, choice);
  std::vector<SolverReport> reports = judge_all(course, entries, options);

  // Times are for solvers that are right.
  std::optional<BenchReport> timed;
  std::vector<BenchTarget> right;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (reports[i].verdict == Verdict::solved && entries[i].kind != SolverKind::program)
      right.push_back(bench_target(entries[i]));
  if (choice.gpu && !right.empty()) {
    timed = bench_solvers(course.tree, course.toolkit, right, options);
    add_findings(reports, *timed);
  }

  Verdict verdict = worst_of(reports);
  if (request.json) {
    std::fputs(to_json(reports, facts_of(course, choice), timed ? &*timed : nullptr).c_str(),
               stdout);
    return static_cast<int>(verdict);
  }
  const ladder::Style style = ladder::Style::of_stdout();
  std::printf("%s, %s\n\n", title_of(entries).c_str(), choice.text.c_str());
  std::fputs(ladder_table(reports, timed ? &*timed : nullptr, style).c_str(), stdout);
  std::printf("\n%s\n", summary_line(reports, noun_of(entries), choice).c_str());
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
