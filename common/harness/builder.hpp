// Builds one solver: one nvcc command, one front-end pass. Meson and the commands use this
// same builder; objects are cached by content under build/cache/solvers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/catalog.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

struct Toolkit {
  std::filesystem::path nvcc;
  std::filesystem::path root;  // .../cuda-13.0
  int major = 0, minor = 0;
  std::filesystem::path cudart;  // its libcudart.so.N
  // $CUDA_PATH, $CUDA_HOME, PATH, /usr/local/cuda: the first that is 12.0 or newer.
  static std::optional<Toolkit> find();
  // The same; throws MachineError (none, or too old) with how to get one.
  static Toolkit require();
};

struct BuildRequest {
  std::filesystem::path source;
  const Problem* problem = nullptr;  // nullptr: a program with its own main
  int virtual_architecture = 75;     // PTX, always included
  std::optional<int> sass;           // e.g. 90: machine code from the same PTX
  std::string sass_suffix;           // "a" for sm_90a
  std::vector<std::string> links;    // libraries
  bool program = false;              // an executable instead of a shared object
};

struct BuildResult {
  std::filesystem::path object;
  std::filesystem::path depfile;
  bool cached = false;
  double seconds = 0;
};

// Builds or finds in the cache; two processes may build the same at once. Throws CompileError with
// the compiler's own message (paths made relative) or with what is wrong with `solve`; UsageError
// for a missing file, a directory or an empty file; Error(skipped) if a library of `links` is not
// in the toolkit.
BuildResult build_solver(const Tree& tree, const Toolkit& toolkit, const BuildRequest& request);

// build_solver for many, on all cores; calls `progress(done, total)`.
struct BuildOutcome {
  std::optional<BuildResult> result;
  Verdict verdict = Verdict::solved;  // what the error counts as: a full disk is not the learner's
  std::string error;                  // its text when there is no result
};
std::vector<BuildOutcome> build_solvers(const Tree& tree, const Toolkit& toolkit,
                                        const std::vector<BuildRequest>& requests,
                                        const std::function<void(int, int)>& progress = {});

}  // namespace ladder
