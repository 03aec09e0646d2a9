// `ladder list`: what the course has.
#include <algorithm>
#include <cstdio>
#include <set>

#include "common/cli/course.hpp"
#include "common/cli/listing_json.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

std::string idea_of(const CatalogEntry& entry) {
  try {
    return read_solver_header(entry.file).idea;
  } catch (const Error& error) {
    return std::string("(") + error.what() + ")";
  }
}

// "  steps", then a line each: "01.02  step_02_one_block  one block of threads". A short id that
// is the name already does not repeat it.
void print_kind(const std::vector<CatalogEntry>& entries, SolverKind kind) {
  std::size_t id_width = 0, name_width = 0;
  const auto shown_name = [](const CatalogEntry& entry) {
    return entry.short_id().find(entry.name) == std::string::npos ? entry.name : std::string();
  };
  for (const CatalogEntry& entry : entries) {
    id_width = std::max(id_width, entry.short_id().size());
    name_width = std::max(name_width, shown_name(entry).size());
  }
  std::printf("  %ss\n", name_of(kind));
  for (const CatalogEntry& entry : entries) {
    std::printf("    %-*s  ", static_cast<int>(id_width), entry.short_id().c_str());
    if (name_width > 0)
      std::printf("%-*s  ", static_cast<int>(name_width), shown_name(entry).c_str());
    std::printf("%s\n", idea_of(entry).c_str());
  }
}

// Mutants are many and for those who test the checker: only counted, unless asked for.
void print_chapter(const Catalog& catalog, const std::string& chapter, bool mutants) {
  std::printf("%s\n", chapter.c_str());
  for (const SolverKind kind : {SolverKind::step, SolverKind::program, SolverKind::exercise,
                                SolverKind::ceiling, SolverKind::mutant}) {
    std::vector<CatalogEntry> entries;
    for (const CatalogEntry& entry : catalog.all())
      if (entry.chapter == chapter && entry.kind == kind) entries.push_back(entry);
    if (entries.empty()) continue;
    if (kind == SolverKind::mutant && !mutants)
      std::printf("  %zu mutants (./ladder list %s --mutants)\n", entries.size(),
                  chapter.substr(0, 2).c_str());
    else
      print_kind(entries, kind);
  }
}

void print_problems() {
  std::string chapter;
  for (const Problem& problem : problems().all()) {
    if (problem.chapter != chapter) std::printf("%s\n", problem.chapter.c_str());
    chapter = problem.chapter;
    std::printf("  %s: %s\n      %s\n", problem.name.c_str(), problem.title.c_str(),
                problem.prototype().c_str());
  }
}

std::vector<std::string> chapters_of(const Catalog& catalog, const std::vector<std::string>& ids) {
  if (ids.empty()) return catalog.chapters();
  std::vector<std::string> chapters;
  std::set<std::string> seen;
  for (const std::string& id : ids)
    for (const CatalogEntry& entry : catalog.resolve(id))
      if (seen.insert(entry.chapter).second) chapters.push_back(entry.chapter);
  return chapters;
}

}  // namespace

int list(const ListRequest& request) {
  const Tree tree = Tree::find();
  const Catalog catalog(tree);
  const std::vector<std::string> chapters = chapters_of(catalog, request.ids);
  if (request.json) {
    std::fputs(listing_json(catalog, chapters).c_str(), stdout);
    return 0;
  }
  if (request.problems) {
    print_problems();
    return 0;
  }
  for (const std::string& chapter : chapters) print_chapter(catalog, chapter, request.mutants);
  return 0;
}

}  // namespace ladder::cli
