// `ladder list`: what the course has.
#include <cstdio>
#include <set>

#include "common/cli/course.hpp"
#include "common/cli/listing_json.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

const char* plural_of(SolverKind kind) {
  switch (kind) {
    case SolverKind::step:
      return "steps";
    case SolverKind::program:
      return "programs";
    case SolverKind::ceiling:
      return "ceilings";
    case SolverKind::exercise:
      return "exercises";
    case SolverKind::mutant:
      return "mutants";
    case SolverKind::solution:
      return "solutions";
  }
  return "solvers";
}

// One line of the list: "  01.02  step_02_one_block  a block of threads shares the work".
void print_entry(const CatalogEntry& entry, std::size_t id_width, std::size_t name_width) {
  std::string idea;
  try {
    idea = read_solver_header(entry.file).idea;
  } catch (const Error& error) {
    idea = std::string("(") + error.what() + ")";
  }
  std::printf("    %-*s  %-*s  %s\n", static_cast<int>(id_width), entry.short_id().c_str(),
              static_cast<int>(name_width), entry.name.c_str(), idea.c_str());
}

void print_chapter(const Catalog& catalog, const std::string& chapter) {
  std::printf("%s\n", chapter.c_str());
  std::size_t id_width = 0, name_width = 0;
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.chapter != chapter) continue;
    id_width = std::max(id_width, entry.short_id().size());
    name_width = std::max(name_width, entry.name.size());
  }
  for (const SolverKind kind : {SolverKind::step, SolverKind::program, SolverKind::exercise,
                                SolverKind::ceiling, SolverKind::mutant}) {
    bool headed = false;
    for (const CatalogEntry& entry : catalog.all()) {
      if (entry.chapter != chapter || entry.kind != kind) continue;
      if (!headed) std::printf("  %s\n", plural_of(kind));
      headed = true;
      print_entry(entry, id_width, name_width);
    }
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
  for (const std::string& chapter : chapters) print_chapter(catalog, chapter);
  return 0;
}

}  // namespace ladder::cli
