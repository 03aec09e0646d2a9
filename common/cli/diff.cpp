// `ladder diff`: a learner's file against its stub, or a step against the step it builds on.
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "common/cli/exercises.hpp"
#include "common/cli/process.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

int show_difference(const fs::path& before, const std::string& before_label,
                    const fs::path& after) {
  const bool colour = ladder::Style::of_stdout().colour;
  const int code =
      run_here({"diff", "-u", colour ? "--color=always" : "--color=never", "--label", before_label,
                "--label", shown(after), before.string(), after.string()});
  if (code > 1) throw MachineError("diff failed (Debian package diffutils)");
  if (code == 0) std::printf("no difference from %s\n", before_label.c_str());
  return 0;
}

int exercise_difference(const Tree& tree, const Catalog& catalog, const CatalogEntry& exercise) {
  if (!fs::exists(exercise.file))
    throw UsageError(shown(exercise.file) + " is gone; bring it back with: ladder reset " +
                     exercise.short_id());
  const fs::path stub = tree.build / ("stub-" + std::to_string(getpid()) + ".cu");
  std::ofstream(stub, std::ios::binary) << pristine_stub(catalog, exercise);
  const int code = show_difference(stub, "the stub of " + exercise.short_id(), exercise.file);
  fs::remove(stub);
  return code;
}

}  // namespace

int diff(const std::string& id) {
  const Tree tree = Tree::find();
  const Catalog catalog(tree);
  const std::vector<CatalogEntry> found = catalog.resolve(id);
  if (found.size() != 1)
    throw UsageError("'" + id + "' names a whole chapter; name one step or exercise");
  const CatalogEntry& entry = found[0];
  if (entry.kind == SolverKind::exercise) return exercise_difference(tree, catalog, entry);
  const SolverHeader header = read_solver_header(entry.file);
  const std::vector<std::string>& parents =
      header.builds_on.empty() ? header.rewrites : header.builds_on;
  if (parents.empty())
    throw UsageError(entry.id() + " builds on no other step, so there is nothing to compare with");
  const std::string& parent = parents.front();
  const bool whole = parent.find('.') != std::string::npos;
  const CatalogEntry before =
      catalog.resolve(whole ? parent : entry.chapter + "." + parent).front();
  return show_difference(before.file, shown(before.file), entry.file);
}

}  // namespace ladder::cli
