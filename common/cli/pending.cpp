// Weak definitions of what other parts have not delivered; a real one replaces each.
#include "common/cli/commands.hpp"
#include "common/harness/bench.hpp"
#include "common/harness/exercise.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/verdict.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace ladder {
namespace {
[[noreturn]] void missing(const char* what) {
  throw MachineError(std::string(what) + " is not in this build");
}
}  // namespace

[[gnu::weak]] std::optional<Toolkit> Toolkit::find() {
  return Toolkit{"/usr/local/cuda/bin/nvcc", "/usr/local/cuda", 13, 0,
                 "/usr/local/cuda/lib64/libcudart.so.13"};
}
[[gnu::weak]] BuildResult build_solver(const Tree&, const Toolkit&, const BuildRequest&) {
  missing("the builder");
}
[[gnu::weak]] SolverReport judge_solver(const Tree&, const Toolkit&, const std::filesystem::path&,
                                        const Problem&, const SolverHeader&, const JudgeOptions&) {
  missing("the judge");
}
[[gnu::weak]] SolverReport judge_program(const Tree&, const Toolkit&, const std::filesystem::path&,
                                         const SolverHeader&, const JudgeOptions&) {
  missing("the judge of programs");
}
[[gnu::weak]] BenchReport bench_solvers(const Tree&, const Toolkit&,
                                        const std::vector<CatalogEntry>&, const JudgeOptions&) {
  missing("the bench");
}
[[gnu::weak]] std::string generate_stub(std::string_view, const std::string&) {
  missing("stubs");
}
[[gnu::weak]] Sheet parse_sheet(std::string_view, const std::string&) {
  missing("sheets");
}
[[gnu::weak]] std::string_view name_of(Backend backend) {
  return backend == Backend::gpu ? "gpu" : "emulator";
}
namespace cli {
[[gnu::weak]] int dev_check() {
  missing("the gate");
}
[[gnu::weak]] int dev_parity(const Running&) {
  missing("parity");
}
}  // namespace cli
}  // namespace ladder
