// What a learner has done: .ladder/progress.json at the root of the course. Small and replaceable:
// a file that cannot be read is said, kept as a backup, and started again.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ladder::cli {

class ProgressFile {
 public:
  // Reads root/.ladder/progress.json. `warning()` says if it was unreadable and where it went.
  explicit ProgressFile(const std::filesystem::path& root);

  struct Exercise {
    std::string solved;  // the day, "2026-11-30"; empty: not yet
    int hints = 0;       // shown so far
  };
  const Exercise& of(const std::string& id) const;
  Exercise& change(const std::string& id) { return exercises_[id]; }
  void save() const;  // replaces the file in one step; throws MachineError
  const std::string& warning() const { return warning_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, Exercise> exercises_;
  std::string warning_;
};

}  // namespace ladder::cli
