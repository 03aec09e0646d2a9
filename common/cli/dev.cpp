// `ladder dev ...`: for those who work on the course.
#include <cstdio>
#include <fstream>

#include "common/cli/exercises.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

int dev_stubs() {
  const Catalog catalog(Tree::find());
  int written = 0, total = 0;
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.kind != SolverKind::exercise) continue;
    ++total;
    const std::string stub = pristine_stub(catalog, entry);
    if (std::filesystem::exists(entry.file) && read_text(entry.file) == stub) continue;
    std::ofstream stream(entry.file, std::ios::binary);
    stream << stub;
    if (!stream.flush()) throw MachineError("cannot write " + shown(entry.file));
    std::printf("wrote %s\n", shown(entry.file).c_str());
    ++written;
  }
  std::printf("%d of %d stubs changed\n", written, total);
  return 0;
}

}  // namespace ladder::cli
