#include "common/harness/object_cache.hpp"

#include "common/harness/files.hpp"
#include "common/harness/fingerprint.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

// Installed headers are many and change only with their package: their stamp will do.
bool is_installed(const std::string& file) {
  return file.rfind("/usr/", 0) == 0;
}

std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw MachineError("cannot write " + to.string() + ": " + error.message());
}

}  // namespace

ObjectCache::ObjectCache(fs::path folder, std::string slot, std::string suffix)
    : folder_(std::move(folder)), slot_(std::move(slot)), suffix_(std::move(suffix)) {}

ObjectCache::Entry ObjectCache::entry_for(const std::vector<std::string>& dependencies) const {
  Fingerprint key;
  key.add(slot_);
  for (const std::string& file : dependencies) {
    key.add(file);
    key.add(is_installed(file) ? stamp_of(file) : read_file(file));
  }
  const std::string name = key.hex();
  return {folder_ / (name + suffix_), folder_ / (name + ".d")};
}

std::optional<ObjectCache::Entry> ObjectCache::find() const {
  const fs::path list = folder_ / (slot_ + ".deps");
  std::error_code error;
  if (!fs::exists(list, error)) return std::nullopt;
  try {
    const Entry entry = entry_for(lines_of(read_file(list)));
    if (fs::exists(entry.object) && fs::exists(entry.depfile)) return entry;
  } catch (const MachineError&) {
    // A file that it was made from is gone: it has to be made again.
  }
  return std::nullopt;
}

ObjectCache::Entry ObjectCache::store(const fs::path& object,
                                      const std::vector<std::string>& dependencies) {
  const Entry entry = entry_for(dependencies);
  replace_file(entry.depfile, write_depfile(entry.object.string(), dependencies));
  move_file(object, entry.object);
  replace_file(folder_ / (slot_ + ".deps"), join(dependencies, "\n") + "\n");
  return entry;
}

std::vector<std::string> parse_depfile(std::string_view text) {
  // The target ends at the first ": "; colons inside paths are followed by no blank.
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return {};
  text.remove_prefix(colon + 1);
  std::vector<std::string> files;
  std::string file;
  const auto end_of_file = [&] {
    if (!file.empty()) files.push_back(file);
    file.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == '\r')) {
      end_of_file();
    } else if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) ||
               (c == '$' && next == '$')) {
      file += next;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_of_file();
    } else if (c == '\n') {
      break;  // the rule ends; -MP's phony rules may follow
    } else {
      file += c;
    }
    if (c == '\\' && next == '\n') ++i;
  }
  end_of_file();
  return files;
}

std::string write_depfile(const std::string& target, const std::vector<std::string>& dependencies) {
  std::string text = escaped(target) + ":";
  for (const std::string& file : dependencies) text += " \\\n  " + escaped(file);
  return text + "\n";
}

std::string stamp_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw MachineError("cannot read " + file.string());
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  return std::to_string(size) + " " + std::to_string(time);
}

void replace_file(const fs::path& file, std::string_view text) {
  const TemporaryFolder beside(file.parent_path());
  move_file(beside.write("new", text), file);
}

}  // namespace ladder
