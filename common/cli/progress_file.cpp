#include "common/cli/progress_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/cli/backup.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {
constexpr int kVersion = 1;
}

ProgressFile::ProgressFile(const fs::path& root) : file_(root / ".ladder" / "progress.json") {
  std::error_code error;
  if (!fs::exists(file_, error)) return;
  try {
    std::ifstream stream(file_);
    const Json json = Json::parse(stream);
    if (json.at("version").get<int>() != kVersion) throw std::runtime_error("another version");
    for (const auto& [id, entry] : json.at("exercises").items()) {
      Exercise& exercise = exercises_[id];
      exercise.solved = entry.value("solved", "");
      exercise.hints = entry.value("hints", 0);
    }
  } catch (const std::exception&) {
    exercises_.clear();
    const fs::path backup = move_to_backup(file_);
    warning_ = file_.string() + " could not be read; it is now " + backup.filename().string() +
               ", and progress starts again";
  }
}

const ProgressFile::Exercise& ProgressFile::of(const std::string& id) const {
  static const Exercise kNone;
  const auto found = exercises_.find(id);
  return found == exercises_.end() ? kNone : found->second;
}

void ProgressFile::save() const {
  Json json;
  json["version"] = kVersion;
  json["exercises"] = Json::object();
  for (const auto& [id, exercise] : exercises_) {
    Json entry = Json::object();
    if (!exercise.solved.empty()) entry["solved"] = exercise.solved;
    if (exercise.hints > 0) entry["hints"] = exercise.hints;
    json["exercises"][id] = entry;
  }
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  const fs::path fresh = file_.string() + ".new";
  {
    std::ofstream stream(fresh);
    stream << json.dump(2) << "\n";
    if (!stream.flush()) throw MachineError("cannot write " + fresh.string());
  }
  fs::rename(fresh, file_, error);
  if (error) throw MachineError("cannot write " + file_.string() + ": " + error.message());
}

}  // namespace ladder::cli
