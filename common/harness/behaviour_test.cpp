// behaviour_test ID: one solver of the course does on the emulator what its header says. For an
// exercise: its solution is right and its stub, generated into the build folder, fails as
// declared; the learner's file is not read. A test of its own for each, so that each is counted.
#include <cstdio>

#include "common/harness/gate.hpp"
#include "common/harness/verdict.hpp"

namespace {

int test(const std::string& id) {
  using namespace ladder;
  const Tree tree = Tree::find();
  GateOptions options;
  options.ids = {id};
  options.files = false;
  options.jobs = 1;
  const GateReport report = run_gate(tree, Catalog(tree), Toolkit::require(), problems(), options);
  for (const GateFinding& finding : report.findings) std::printf("%s\n", finding.text().c_str());
  for (const std::string& reason : report.skipped) std::printf("skipped: %s\n", reason.c_str());
  if (!report.findings.empty()) return static_cast<int>(Verdict::wrong);
  if (!report.skipped.empty()) return static_cast<int>(Verdict::skipped);
  if (report.checks < 2) {  // the header, and at least one thing that it declares
    std::printf("nothing was checked: no solver has the id %s\n", id.c_str());
    return static_cast<int>(Verdict::usage);
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    if (count != 2) throw ladder::UsageError("behaviour_test ID");
    return test(values[1]);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return static_cast<int>(ladder::Verdict::machine_fault);
  }
}
