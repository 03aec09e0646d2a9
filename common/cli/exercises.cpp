#include "common/cli/exercises.hpp"

#include <cstdio>

#include "common/harness/files.hpp"

namespace ladder::cli {

std::string pristine_stub(const Catalog& catalog, const CatalogEntry& exercise) {
  const std::filesystem::path solution = catalog.solution_of(exercise).file;
  return generate_stub(read_file(solution), shown(solution));
}

ProgressFile open_progress(const Tree& tree) {
  ProgressFile progress(tree.source);
  if (!progress.warning().empty()) std::fprintf(stderr, "ladder: %s\n", progress.warning().c_str());
  return progress;
}

std::filesystem::path sheet_of(const CatalogEntry& exercise) {
  return std::filesystem::path(exercise.file).replace_extension(".md");
}

Sheet read_sheet(const CatalogEntry& exercise) {
  const std::filesystem::path file = sheet_of(exercise);
  return parse_sheet(read_file(file), shown(file));
}

}  // namespace ladder::cli
