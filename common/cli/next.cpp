// `ladder next`: where the learner is, and what to do there.
#include <cstdio>
#include <ctime>

#include "common/cli/exercises.hpp"
#include "common/cli/judging.hpp"
#include "common/cli/progress_line.hpp"
#include "common/harness/files.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

std::vector<CatalogEntry> exercises_of(const Catalog& catalog) {
  std::vector<CatalogEntry> exercises;
  for (const CatalogEntry& entry : catalog.all())
    if (entry.kind == SolverKind::exercise) exercises.push_back(entry);
  return exercises;
}

void introduce(const CatalogEntry& exercise, std::size_t number, std::size_t total) {
  std::printf("exercise %zu of %zu: %s\n  edit       %s\n  statement  %s\n", number + 1, total,
              read_sheet(exercise).title.c_str(), shown(exercise.file).c_str(),
              shown(sheet_of(exercise)).c_str());
  const std::string id = exercise.short_id();
  std::printf("  then       ./ladder check %s   (stuck? ./ladder hint %s)\n", id.c_str(),
              id.c_str());
}

bool untouched(const Catalog& catalog, const CatalogEntry& exercise) {
  return std::filesystem::exists(exercise.file) &&
         read_file(exercise.file) == pristine_stub(catalog, exercise);
}

}  // namespace

int next(const Running& request) {
  const Course course = open_course();
  const std::vector<CatalogEntry> exercises = exercises_of(course.catalog);
  ProgressFile progress = open_progress(course.tree);
  std::optional<JudgeOptions> options;
  for (std::size_t i = 0; i < exercises.size(); ++i) {
    const CatalogEntry& exercise = exercises[i];
    if (!progress.of(exercise.id()).solved.empty()) continue;
    if (untouched(course.catalog, exercise)) {
      introduce(exercise, i, exercises.size());
      return 0;
    }
    if (!options) options = judge_options(request, choose_backends(request, course.toolkit));
    const SolverReport report = judge_all(course, {exercise}, *options).front();
    if (report.verdict != Verdict::solved) {
      std::fputs(to_text(report, ladder::Style::of_stdout()).c_str(), stdout);
      introduce(exercise, i, exercises.size());
      return static_cast<int>(report.verdict);
    }
    std::printf("%s is solved\n", exercise.id().c_str());
    progress.change(exercise.id()).solved = today();
    progress.save();
  }
  std::printf("all %zu exercises are solved\n", exercises.size());
  return 0;
}

}  // namespace ladder::cli
