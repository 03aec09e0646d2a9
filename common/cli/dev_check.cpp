// `ladder dev check`: the gate, printed.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/progress_line.hpp"
#include "common/harness/gate.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

int dev_check(const DevCheckRequest& request) {
  const Course course = open_course();
  ProgressLine line(0);
  GateOptions options;
  for (const std::string& id : request.chapters)
    options.chapters.push_back(course.catalog.resolve(id).front().chapter);
  options.behaviour = !request.quick;
  options.progress = [&](int done, int total, const std::string& what) {
    line.show(0, "judged " + what, static_cast<double>(done) / total);
  };
  const GateReport report =
      run_gate(course.tree, course.catalog, course.toolkit, problems(), options);
  line.clear();
  for (const GateFinding& finding : report.findings) std::printf("%s\n", finding.text().c_str());
  for (const std::string& reason : report.skipped) std::printf("skipped: %s\n", reason.c_str());
  const int failed = static_cast<int>(report.findings.size());
  std::printf("%d checks, %d findings, %d skipped\n", report.checks, failed,
              static_cast<int>(report.skipped.size()));
  return static_cast<int>(failed == 0 ? Verdict::solved : Verdict::wrong);
}

}  // namespace ladder::cli
