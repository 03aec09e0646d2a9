// Compiled objects by content. A slot is a source compiled in one way; it remembers which files
// that compilation read. The object's name is a hash of the slot and of what those files contain
// now, so an edit anywhere leads to another object and undoing it back to the first. Entries
// appear by rename: processes may share a cache without locks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ladder {

class ObjectCache {
 public:
  struct Entry {
    std::filesystem::path object;
    std::filesystem::path depfile;
  };

  // `suffix` is ".so" for shared objects, ".program" for programs.
  ObjectCache(std::filesystem::path folder, std::string slot, std::string suffix);

  std::optional<Entry> find() const;
  // Takes a finished object (moved) and the files it was made from.
  Entry store(const std::filesystem::path& object, const std::vector<std::string>& dependencies);

 private:
  Entry entry_for(const std::vector<std::string>& dependencies) const;

  std::filesystem::path folder_;
  std::string slot_;
  std::string suffix_;
};

// The dependencies in a Make rule, as compilers write them with -MD.
std::vector<std::string> parse_depfile(std::string_view text);
std::string write_depfile(const std::string& target, const std::vector<std::string>& dependencies);

// A file's identity without reading it: path, size, time of change.
std::string stamp_of(const std::filesystem::path& file);

// Written beside and renamed, so that readers see all of it or nothing.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace ladder
