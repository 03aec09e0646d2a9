#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/emulator/programs/program_runs.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace ladder::emulator {

namespace fs = std::filesystem;

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name, " is not set: run this through meson test");
  return value;
}

fs::path program(const std::string& name) {
  return variable("LADDER_PROGRAMS") / name;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Outcome run(const std::string& name, const std::string& arguments, ProgramOptions options) {
  options.cudart = variable("LADDER_CUDART");
  std::string folder_name = (fs::temp_directory_path() / "ladder_programs_XXXXXX").string();
  REQUIRE(mkdtemp(folder_name.data()) != nullptr);
  const fs::path folder = folder_name;
  options.report = folder / "report";
  std::string command = "ulimit -c 0; ";
  for (const auto& [key, value] : program_environment(options))
    command += key + "='" + value + "' ";
  command += "exec '" + program(name).string() + "' " + arguments + " >'" +
             (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
  const int status = std::system(command.c_str());
  Outcome outcome;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = contents(folder / "out");
  outcome.err = contents(folder / "err");
  outcome.report = contents(folder / "report");
  fs::remove_all(folder);
  return outcome;
}

void check_succeeds(const std::string& name, const std::string& output, const std::string& device) {
  ProgramOptions options;
  options.device = device;
  const Outcome outcome = run(name, "", options);
  CAPTURE(name);
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == output);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_architectures(const std::string& name, const std::vector<std::string>& architectures,
                         const std::string& output) {
  static const std::map<std::string, std::string> devices = {
      {"75", "t4"}, {"80", "a100"}, {"90", "h200"}, {"100", "b200"}, {"120", "rtx5090"}};
  for (const std::string& architecture : architectures) {
    check_succeeds(name, output, devices.at(architecture));
  }
}

}  // namespace ladder::emulator
