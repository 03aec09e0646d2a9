// `ladder dev fuzz` and `ladder dev golden`: the emulator against a GPU and against garbage. Both are
// programs of their own (common/emulator/fuzz, common/emulator/golden), built when asked for, which
// also run where there is nothing but a driver.
#include "common/cli/commands.hpp"
#include "common/cli/course.hpp"
#include "common/cli/process.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

int build_and_run(const std::string& program, const std::vector<std::string>& words) {
  const Tree tree = Tree::find();
  const int built = run_here({"ninja", "-C", tree.build.string(), "--quiet", program});
  if (built != 0) return static_cast<int>(Verdict::machine_fault);
  std::vector<std::string> command = {(tree.build / program).string()};
  command.insert(command.end(), words.begin(), words.end());
  return run_here(command);
}

}  // namespace

int dev_fuzz(const FuzzRequest& request) {
  std::vector<std::string> words = {"--seed", std::to_string(request.seed), "--jobs",
                                    std::to_string(request.jobs)};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.push_back(option);
    words.push_back(value);
  };
  add("--save", request.save);
  if (request.parser) {
    add("--minutes", std::to_string(request.minutes));
    add("--seeds", request.seeds);
  } else {
    add("--programs", std::to_string(request.programs));
    add("--on", request.on);
    add("--record", request.record);
    add("--against", request.against);
  }
  return build_and_run("common/emulator/fuzz/emulator_fuzz", words);
}

int dev_golden() {
  const Tree tree = Tree::find();
  return build_and_run("common/emulator/golden/golden_recorder",
                       {(tree.source / "common/emulator/golden/recorded").string()});
}

}  // namespace ladder::cli
