// `ladder dev ...`: for those who work on the course.
#include <cstdio>

#include "common/cli/exercises.hpp"
#include "common/harness/files.hpp"

namespace ladder::cli {

int dev_stubs() {
  const Catalog catalog(Tree::find());
  int written = 0, total = 0;
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.kind != SolverKind::exercise) continue;
    ++total;
    const std::string stub = pristine_stub(catalog, entry);
    if (std::filesystem::exists(entry.file) && read_file(entry.file) == stub) continue;
    write_file(entry.file, stub);
    std::printf("wrote %s\n", shown(entry.file).c_str());
    ++written;
  }
  std::printf("%d of %d stubs changed\n", written, total);
  return 0;
}

}  // namespace ladder::cli
