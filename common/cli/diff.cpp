// `ladder diff`: a learner's file against its stub, or a step against the step it builds on.
#include <csignal>
#include <cstdio>

#include "common/cli/exercises.hpp"
#include "common/cli/process.hpp"
#include "common/harness/files.hpp"
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
  if (code == 128 + SIGPIPE) return 0;  // whoever reads has read enough
  if (code > 1) throw MachineError("diff failed (Debian package diffutils)");
  if (code == 0) std::printf("no difference from %s\n", before_label.c_str());
  return 0;
}

int exercise_difference(const Catalog& catalog, const CatalogEntry& exercise) {
  if (!fs::exists(exercise.file))
    throw UsageError(shown(exercise.file) + " is gone; bring it back with: ./ladder reset " +
                     exercise.short_id());
  const TemporaryFolder folder;
  const fs::path stub = folder.write("stub.cu", pristine_stub(catalog, exercise));
  return show_difference(stub, "the stub of " + exercise.short_id(), exercise.file);
}

}  // namespace

int diff(const std::string& id) {
  const Catalog catalog(Tree::find());
  const std::vector<CatalogEntry> found = catalog.resolve(id);
  if (found.size() != 1)
    throw UsageError("'" + id + "' names a whole chapter; name one step or exercise");
  const CatalogEntry& entry = found[0];
  if (entry.kind == SolverKind::exercise) return exercise_difference(catalog, entry);
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
