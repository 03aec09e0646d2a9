// `ladder dev editor`: compile_commands.json at the root of the course. Meson's own entries, and
// one for each .cu file, in flags that clangd understands (nvcc's it does not).
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/cli/course.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json entry_of(const fs::path& file, const Tree& tree, const Toolkit& toolkit) {
  const fs::path shims = tree.source / "common" / "cli" / "clangd";
  return {{"directory", tree.source.string()},
          {"file", file.string()},
          {"arguments",
           {"clang++", "-x", "cuda", "-std=c++17", "--cuda-path=" + toolkit.root.string(),
            // clang knows neither newer toolkits' headers nor their number; the prelude helps.
            "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_80",
            "-I" + tree.source.string(), "-isystem", (toolkit.root / "include").string(),
            "-isystem", shims.string(), "-include", (shims / "prelude.hpp").string(), "-Wall", "-c",
            file.string()}}};
}

}  // namespace

int dev_editor() {
  const Course course = open_course();
  std::ifstream stream(course.tree.build / "compile_commands.json");
  Json commands = Json::parse(stream, nullptr, false);
  if (!commands.is_array()) throw MachineError("no compile_commands.json in the build folder");
  for (const char* folder : {"chapters", "common"})
    for (const auto& found : fs::recursive_directory_iterator(course.tree.source / folder))
      if (found.path().extension() == ".cu")
        commands.push_back(entry_of(found.path(), course.tree, course.toolkit));
  const fs::path file = course.tree.source / "compile_commands.json";
  std::ofstream out(file);
  out << commands.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  if (!out.flush()) throw MachineError("cannot write " + file.string());
  return 0;
}

}  // namespace ladder::cli
