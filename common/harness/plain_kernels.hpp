// The solvers of common/emulator/kernels, which know nothing of this course: what a stranger might
// bring. kernels.txt there says which problem each one solves.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/catalog.hpp"

namespace ladder {

struct PlainKernel {
  std::filesystem::path file;  // absolute
  std::string problem;
  std::optional<Parameters> bench_at;  // the size at which the emulator is timed
  double least_rate = 0;               // and the warp-instructions per microsecond it shall reach
};

// Lines "FILE PROBLEM SIZE [RATE]", SIZE "-" for none; `#` starts a comment. Throws UsageError
// "file:line: ..." for anything else.
std::vector<PlainKernel> parse_plain_kernels(std::string_view text,
                                             const std::filesystem::path& list);
std::vector<PlainKernel> plain_kernels(const Tree& tree);

// Those with a size: what `ladder bench --emulator` measures.
std::vector<EmulatorWork> emulator_work(const Tree& tree);

}  // namespace ladder
