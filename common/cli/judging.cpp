#include "common/cli/judging.hpp"

#include <algorithm>
#include <set>

#include "common/cli/progress_line.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

std::vector<CatalogEntry> resolve_all(const Catalog& catalog, const std::vector<std::string>& ids,
                                      bool exercises) {
  std::vector<CatalogEntry> entries;
  std::set<std::filesystem::path> seen;
  for (const std::string& id : ids)
    for (const CatalogEntry& entry : catalog.resolve(id, exercises))
      if (seen.insert(entry.file).second) entries.push_back(entry);
  if (entries.empty())
    throw UsageError("'" + ids.front() + "' has no " + (exercises ? "exercises" : "steps") +
                     " yet; see: ./ladder list");
  return entries;
}

std::vector<SolverReport> judge_all(const Course& course, const std::vector<CatalogEntry>& entries,
                                    const JudgeOptions& options) {
  ProgressLine line(static_cast<int>(entries.size()));
  std::vector<SolverReport> reports;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int part = static_cast<int>(i);
    const std::string what = "checking " + entries[i].short_id();
    line.show(part, what);
    JudgeOptions one = options;
    one.progress = [&](int done, int total, const std::string&) {
      line.show(part, what, total > 0 ? static_cast<double>(done) / total : 0);
    };
    reports.push_back(judge_entry(course, entries[i], one));
    line.finished(part, "checked " + entries[i].short_id() + ": " + headline(reports.back()));
  }
  return reports;
}

Verdict worst_of(const std::vector<SolverReport>& reports) {
  Verdict verdict = Verdict::skipped;
  for (const SolverReport& report : reports) verdict = worst(verdict, report.verdict);
  return verdict;
}

std::string title_of(const std::vector<CatalogEntry>& entries) {
  std::set<std::string> chapters;
  for (const CatalogEntry& entry : entries) chapters.insert(entry.chapter);
  return chapters.size() == 1 ? *chapters.begin() : std::to_string(chapters.size()) + " chapters";
}

std::string noun_of(const std::vector<CatalogEntry>& entries) {
  const auto all = [&](SolverKind kind) {
    return std::all_of(entries.begin(), entries.end(),
                       [&](const CatalogEntry& entry) { return entry.kind == kind; });
  };
  if (all(SolverKind::step)) return "steps";
  if (all(SolverKind::exercise)) return "exercises";
  return "solvers";
}

std::string summary_line(const std::vector<SolverReport>& reports, const std::string& noun,
                         const Choice& choice) {
  const auto passed = std::count_if(reports.begin(), reports.end(), [](const SolverReport& report) {
    return report.verdict == Verdict::solved;
  });
  const auto skipped =
      std::count_if(reports.begin(), reports.end(),
                    [](const SolverReport& report) { return report.verdict == Verdict::skipped; });
  const bool one = reports.size() == 1;
  std::string text = std::to_string(passed) + " of " + std::to_string(reports.size()) + " " +
                     (one ? noun.substr(0, noun.size() - 1) + " passes " : noun + " pass ");
  const bool both = choice.backends.size() > 1;
  if (both)
    text += "on the emulator and on " + choice.gpu->name;
  else if (choice.gpu)
    text += "on " + choice.gpu->name;
  else
    text += "on the emulator";
  if (skipped > 0) text += ", " + std::to_string(skipped) + " skipped";
  return text;
}

}  // namespace ladder::cli
