// Whole files, and folders that live as long as their object (tests, builds in progress).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ladder {

class TemporaryFolder {
 public:
  TemporaryFolder();  // in the system's temporary folder
  explicit TemporaryFolder(const std::filesystem::path& parent);  // made if need be
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file, making the folders on its way. Returns where it is.
  std::filesystem::path write(const std::filesystem::path& relative, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// Whole files. Both throw MachineError naming the file.
std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace ladder
