// `ladder hint`: one hint at a time, and it remembers which were shown.
#include <algorithm>
#include <cstdio>

#include "common/cli/exercises.hpp"

namespace ladder::cli {

int hint(const std::string& id) {
  const Tree tree = Tree::find();
  const CatalogEntry exercise = exercise_named(Catalog(tree), id);
  const Sheet sheet = read_sheet(exercise);
  const int total = static_cast<int>(sheet.hints.size());
  ProgressFile progress = open_progress(tree);
  const int shown_before = std::min(progress.of(exercise.id()).hints, total);
  const bool all_shown = shown_before == total;
  for (int i = all_shown ? 0 : shown_before; i < (all_shown ? total : shown_before + 1); ++i)
    std::printf("hint %d of %d for %s\n%s\n", i + 1, total, exercise.short_id().c_str(),
                sheet.hints[static_cast<std::size_t>(i)].c_str());
  if (all_shown) {
    std::printf("that is all of them; the statement: %s\n", shown(sheet_of(exercise)).c_str());
    return 0;
  }
  progress.change(exercise.id()).hints = shown_before + 1;
  progress.save();
  return 0;
}

}  // namespace ladder::cli
