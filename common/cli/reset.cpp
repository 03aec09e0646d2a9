// `ladder reset`: the stub as it was, and the learner's file kept beside it.
#include <cstdio>

#include "common/cli/backup.hpp"
#include "common/cli/exercises.hpp"
#include "common/harness/files.hpp"

namespace ladder::cli {
namespace {

// Who starts again wants to be led here again.
void forget_solved(const Tree& tree, const CatalogEntry& exercise) {
  ProgressFile progress = open_progress(tree);
  if (progress.of(exercise.id()).solved.empty()) return;
  progress.change(exercise.id()).solved.clear();
  progress.save();
}

}  // namespace

int reset(const std::string& id) {
  const Tree tree = Tree::find();
  const Catalog catalog(tree);
  const CatalogEntry exercise = exercise_named(catalog, id);
  const std::string stub = pristine_stub(catalog, exercise);
  const bool exists = std::filesystem::exists(exercise.file);
  if (exists && read_file(exercise.file) == stub) {
    forget_solved(tree, exercise);
    std::printf("%s is already the original stub\n", shown(exercise.file).c_str());
    return 0;
  }
  if (exists) std::printf("yours is kept as %s\n", shown(move_to_backup(exercise.file)).c_str());
  write_file(exercise.file, stub);
  forget_solved(tree, exercise);
  std::printf("%s is the original stub again\n", shown(exercise.file).c_str());
  return 0;
}

}  // namespace ladder::cli
