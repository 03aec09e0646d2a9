#include "common/cli/backup.hpp"

#include "common/harness/verdict.hpp"

namespace ladder::cli {

namespace fs = std::filesystem;

fs::path move_to_backup(const fs::path& file) {
  std::error_code error;
  fs::path backup;
  for (int number = 1;; ++number) {
    backup = file.string() + ".bak-" + std::to_string(number);
    if (!fs::exists(backup, error)) break;
  }
  fs::rename(file, backup, error);
  if (error)
    throw MachineError("cannot keep a backup of " + file.string() + ": " + error.message());
  return backup;
}

}  // namespace ladder::cli
