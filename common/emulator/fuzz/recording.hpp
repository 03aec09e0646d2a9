// A GPU's outputs of many programs, in a file: one machine runs, another compares.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ladder::emulator::fuzz {

class RecordingWriter {
 public:
  explicit RecordingWriter(const std::filesystem::path& file);
  void add(std::size_t program, const std::string& out);

 private:
  std::ofstream stream_;
};

// By program. Throws std::runtime_error.
std::map<std::size_t, std::vector<std::byte>> read_recording(const std::filesystem::path& file);

}  // namespace ladder::emulator::fuzz
