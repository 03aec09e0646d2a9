#include "common/harness/files.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() : TemporaryFolder(fs::temp_directory_path()) {}

TemporaryFolder::TemporaryFolder(const fs::path& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string name = (fs::absolute(parent) / "ladder-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw MachineError("cannot make a folder in " + parent.string() + ": " + std::strerror(errno));
  }
  path_ = fs::canonical(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

fs::path TemporaryFolder::write(const fs::path& relative, std::string_view text) const {
  const fs::path file = path_ / relative;
  fs::create_directories(file.parent_path());
  write_file(file, text);
  return file;
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (stream.bad() || !stream.is_open() || fs::is_directory(file)) {
    throw MachineError("cannot read " + file.string());
  }
  return text.str();
}

void write_file(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw MachineError("cannot write " + file.string());
}

}  // namespace ladder
