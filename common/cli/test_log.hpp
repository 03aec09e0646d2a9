// Meson's record of a test run, build/meson-logs/testlog.json: one JSON object a line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct TestResult {
  std::string name;
  std::string outcome;  // Meson's word: OK, FAIL, SKIP, TIMEOUT, ...
  std::string output;   // standard output and error
  // Doctest's cases where the test is a doctest program, else one for the whole. A test that
  // Meson calls failed has at least one failure, whatever it printed.
  int passed = 0, failed = 0, skipped = 0;
};

// Empty when there is no log. A line that is not JSON counts as a failure.
std::vector<TestResult> read_test_log(const std::filesystem::path& log);
std::vector<TestResult> parse_test_log(std::string_view text);

}  // namespace ladder::cli
