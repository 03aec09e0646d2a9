// Backups beside a file: NAME.bak-1, NAME.bak-2, ...; none is ever overwritten.
#pragma once

#include <filesystem>

namespace ladder::cli {

// The backup's path. Throws MachineError when the file cannot be moved.
std::filesystem::path move_to_backup(const std::filesystem::path& file);

}  // namespace ladder::cli
