// Finds the CUDA toolkit that compiles solvers.
#include <cstdlib>
#include <cstring>

#include "common/harness/builder.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

constexpr int oldest_major = 12;

// Where an nvcc may be, the most explicit wish first.
std::vector<fs::path> candidates() {
  std::vector<fs::path> places;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') places.push_back(fs::path(root) / "bin" / "nvcc");
  }
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const std::string& folder : split_list(path, ':')) {
      if (!folder.empty()) places.push_back(fs::path(folder) / "nvcc");
    }
  }
  places.push_back("/usr/local/cuda/bin/nvcc");
  return places;
}

// "Cuda compilation tools, release 13.0, V13.0.88"
bool read_version(const fs::path& nvcc, Toolkit& toolkit) {
  const ProcessResult result = run_process({nvcc.string(), "--version"});
  const std::size_t release = result.output.find("release ");
  if (release == std::string::npos) return false;
  return std::sscanf(result.output.c_str() + release, "release %d.%d", &toolkit.major,
                     &toolkit.minor) == 2;
}

fs::path find_cudart(const Toolkit& toolkit) {
  const std::string name = "libcudart.so." + std::to_string(toolkit.major);
  for (const fs::path& folder :
       {toolkit.root / "lib64", toolkit.root / "targets" / "x86_64-linux" / "lib",
        toolkit.root / "targets" / "sbsa-linux" / "lib", toolkit.root / "lib",
        fs::path("/usr/lib/x86_64-linux-gnu"), fs::path("/usr/lib/aarch64-linux-gnu")}) {
    std::error_code error;
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return {};
}

std::optional<Toolkit> look_at(const fs::path& nvcc) {
  std::error_code error;
  if (!fs::is_regular_file(nvcc, error)) return std::nullopt;
  Toolkit toolkit;
  toolkit.nvcc = fs::canonical(nvcc);
  toolkit.root = toolkit.nvcc.parent_path().parent_path();
  if (!read_version(toolkit.nvcc, toolkit)) return std::nullopt;
  toolkit.cudart = find_cudart(toolkit);
  return toolkit;
}

constexpr const char* how_to_get_it =
    "\n  get CUDA 12.0 or newer (13.0 is the one tried) from "
    "https://developer.nvidia.com/cuda-downloads,\n"
    "  then put its bin folder into PATH or set CUDA_PATH; `ladder doctor` shows what is found";

}  // namespace

std::optional<Toolkit> Toolkit::find() {
  for (const fs::path& nvcc : candidates()) {
    const auto toolkit = look_at(nvcc);
    if (toolkit && toolkit->major >= oldest_major) return toolkit;
  }
  return std::nullopt;
}

Toolkit Toolkit::require() {
  if (auto toolkit = find()) return *toolkit;
  for (const fs::path& nvcc : candidates()) {
    if (const auto old = look_at(nvcc)) {
      throw MachineError("the CUDA toolkit at " + old->root.string() + " is " +
                         std::to_string(old->major) + "." + std::to_string(old->minor) +
                         ", which is too old" + how_to_get_it);
    }
  }
  throw MachineError(std::string("no CUDA toolkit: nvcc was not found") + how_to_get_it);
}

}  // namespace ladder
