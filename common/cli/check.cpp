// `ladder check`: is it right? For the course's solvers and for anybody's file.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/judging.hpp"
#include "common/cli/progress_line.hpp"
#include "common/cli/targets.hpp"
#include "common/harness/report.hpp"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

SolverReport judge_file(const Course& course, const std::string& file, const Problem& problem,
                        JudgeOptions options) {
  ProgressLine line(1);
  options.progress = [&](int done, int total, const std::string& what) {
    line.show(0, "checking " + file + ": " + what,
              total > 0 ? static_cast<double>(done) / total : 0);
  };
  SolverReport report = judge_solver(course.tree, course.toolkit, fs::absolute(file), problem,
                                     read_solver_header(file), options);
  report.id = file;
  return report;
}

std::vector<SolverReport> judge_files(const Course& course, const CheckRequest& request,
                                      const JudgeOptions& options) {
  const Problem& problem = problem_named(request.problem);
  for (const std::string& file : request.targets) require_source(file);
  std::vector<SolverReport> reports;
  for (const std::string& file : request.targets)
    reports.push_back(judge_file(course, file, problem, options));
  return reports;
}

std::string what_next(const CatalogEntry& exercise, Verdict verdict, bool all_cases) {
  if (verdict != Verdict::solved) return "stuck? ./ladder hint " + exercise.short_id();
  return all_cases ? "the next exercise: ./ladder next"
                   : "all cases: ./ladder check " + exercise.short_id();
}

}  // namespace

int check(const CheckRequest& request) {
  const Course course = open_course();
  std::vector<CatalogEntry> entries;
  if (request.problem.empty())
    entries = entries_of(course, request.targets, request.exercises, "check");
  const Choice choice = choose_backends(request, course.toolkit);
  JudgeOptions options = judge_options(request, choice);
  options.keep_going = request.keep_going;
  options.exact_arrays = request.exact_arrays;
  const std::vector<SolverReport> reports = request.problem.empty()
                                                ? judge_all(course, entries, options)
                                                : judge_files(course, request, options);
  const Verdict verdict = worst_of(reports);
  if (request.json) {
    std::fputs(to_json(reports, facts_of(course, choice)).c_str(), stdout);
    return static_cast<int>(verdict);
  }
  const ladder::Style style = ladder::Style::of_stdout();
  for (const SolverReport& report : reports) std::fputs(to_text(report, style).c_str(), stdout);
  if (reports.size() > 1)
    std::printf(
        "\n%s\n",
        summary_line(reports, entries.empty() ? "solvers" : noun_of(entries), choice).c_str());
  else if (!reports[0].cases.empty())
    std::printf("%s\n", choice.text.c_str());
  if (entries.size() == 1 && entries[0].kind == SolverKind::exercise)
    std::printf("%s\n", what_next(entries[0], verdict, request.cases.empty()).c_str());
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
