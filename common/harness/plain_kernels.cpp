#include "common/harness/plain_kernels.hpp"

#include <charconv>

#include "common/harness/files.hpp"
#include "common/harness/solver_header.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !(value > 0)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<PlainKernel> parse_plain_kernels(std::string_view text,
                                             const std::filesystem::path& list) {
  std::vector<PlainKernel> kernels;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || words.front().front() == '#') continue;
    const auto rate = words.size() == 4 ? number_in(words[3]) : std::optional(0.0);
    if (words.size() < 3 || words.size() > 4 || !rate) {
      throw UsageError(list.string() + ":" + std::to_string(number) +
                       ": expected FILE PROBLEM SIZE [RATE], found '" + std::string(trim(line)) +
                       "'");
    }
    PlainKernel kernel{list.parent_path() / words[0], words[1], std::nullopt, *rate};
    if (words[2] != "-") kernel.bench_at = parse_parameters(words[2]);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<PlainKernel> plain_kernels(const Tree& tree) {
  const std::filesystem::path list = tree.source / "common/emulator/kernels/kernels.txt";
  return parse_plain_kernels(read_file(list), list);
}

std::vector<EmulatorWork> emulator_work(const Tree& tree) {
  std::vector<EmulatorWork> work;
  for (const PlainKernel& kernel : plain_kernels(tree)) {
    if (!kernel.bench_at) continue;
    work.push_back({kernel.file.stem().string(), kernel.file, kernel.problem, *kernel.bench_at,
                    kernel.least_rate});
  }
  return work;
}

}  // namespace ladder
