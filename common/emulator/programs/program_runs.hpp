// Runs this folder's CUDA programs under the emulator, for tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/emulator/program.hpp"

namespace ladder::emulator {

// Of an environment variable that Meson sets.
std::filesystem::path variable(const char* name);
std::filesystem::path program(const std::string& name);
std::string contents(const std::filesystem::path& path);
bool has(const std::string& text, const std::string& part);

struct Outcome {
  int exit_code = -1;
  int signal = 0;
  std::string out, err, report;
};
Outcome run(const std::string& name, const std::string& arguments = "",
            ProgramOptions options = {});
// Ends with 0 after printing `output`.
void check_succeeds(const std::string& name, const std::string& output,
                    const std::string& device = "");

// The same on a device of each architecture that the program holds PTX for.
void check_architectures(const std::string& name, const std::vector<std::string>& architectures,
                         const std::string& output);

}  // namespace ladder::emulator
