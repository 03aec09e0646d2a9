#include "common/cli/test_log.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ladder::cli {
namespace {

// "[doctest] test cases:  5 |  4 passed | 1 failed | 0 skipped". False if there is no such line.
bool count_doctest_cases(TestResult& result) {
  static constexpr std::string_view kMark = "[doctest] test cases:";
  const std::size_t at = result.output.rfind(kMark);
  if (at == std::string::npos) return false;
  int total = 0;
  return std::sscanf(result.output.c_str() + at + kMark.size(),
                     " %d | %d passed | %d failed | %d skipped", &total, &result.passed,
                     &result.failed, &result.skipped) == 4;
}

void count(TestResult& result) {
  const bool ok = result.outcome == "OK" || result.outcome == "EXPECTEDFAIL";
  const bool skipped = result.outcome == "SKIP";
  const bool cases = !skipped && count_doctest_cases(result);
  if (!cases) {
    result.passed = ok ? 1 : 0;
    result.skipped = skipped ? 1 : 0;
    result.failed = 0;
  }
  if (!ok && !skipped) result.failed = std::max(result.failed, 1);
}

}  // namespace

std::vector<TestResult> parse_test_log(std::string_view text) {
  std::vector<TestResult> results;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    TestResult result;
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) {
      result.name = json.value("name", "");
      result.outcome = json.value("result", "no result");
      result.output = json.value("stdout", "") + json.value("stderr", "");
    } else {
      result.name = "testlog.json";
      result.outcome = "unreadable line: " + line;
    }
    count(result);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<TestResult> read_test_log(const std::filesystem::path& log) {
  std::ifstream stream(log);
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_test_log(text.str());
}

}  // namespace ladder::cli
