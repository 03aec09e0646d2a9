// `ladder test`: builds and runs the course's own tests. Counts every doctest case and every other
// Meson test; the last line is always "N passed, N failed, N skipped".
#include <unistd.h>

#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/process.hpp"
#include "common/cli/progress_line.hpp"
#include "common/cli/test_log.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

// "[12/80] ..." of ninja, or " 3/14 name  OK" of Meson: how far, or {0, 0}.
std::pair<int, int> counted(const std::string& line) {
  int done = 0, total = 0;
  const char* text = line.c_str() + (line.rfind("[", 0) == 0 ? 1 : 0);
  if (std::sscanf(text, " %d/%d", &done, &total) != 2) return {0, 0};
  return {done, total};
}

void show_failures(const std::vector<TestResult>& results) {
  for (const TestResult& result : results) {
    if (result.failed == 0) continue;
    std::printf("---- %s: %s\n%s", result.name.c_str(), result.outcome.c_str(),
                result.output.c_str());
    if (!result.output.empty() && result.output.back() != '\n') std::printf("\n");
  }
}

}  // namespace

int test(const TestRequest& request) {
  const Tree tree = Tree::find();
  const std::filesystem::path log = tree.build / "meson-logs" / "testlog.json";
  std::filesystem::remove(log);
  std::vector<std::string> command = {"meson", "test", "-C", tree.build.string()};
  command.insert(command.end(), request.names.begin(), request.names.end());
  Finished finished;
  if (!isatty(STDERR_FILENO)) std::fprintf(stderr, "building and running the tests\n");
  {
    ProgressLine line(1);
    finished = run_and_watch(command, [&](const std::string& text) {
      const auto [done, total] = counted(text);
      if (total == 0) return;
      const bool building = text[0] == '[';
      line.show(0, (building ? "building the tests " : "testing ") + std::to_string(done) + "/" +
                       std::to_string(total));
    });
  }
  const std::vector<TestResult> results = read_test_log(log);
  if (results.empty()) {
    // The tests did not build, or no test has such a name.
    std::fputs(finished.output.c_str(), stdout);
    std::printf("0 passed, 1 failed, 0 skipped\n");
    return static_cast<int>(finished.code == 127 ? Verdict::machine_fault : Verdict::wrong);
  }
  show_failures(results);
  int passed = 0, failed = 0, skipped = 0;
  for (const TestResult& result : results) {
    passed += result.passed;
    failed += result.failed;
    skipped += result.skipped;
  }
  if (failed == 0 && finished.code != 0) {
    std::fputs(finished.output.c_str(), stdout);
    failed = 1;
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return static_cast<int>(failed > 0 ? Verdict::wrong : Verdict::solved);
}

}  // namespace ladder::cli
