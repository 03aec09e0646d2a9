// What chapter 03 says of its sums beyond "within the bound": equal bits on every call, and how
// accurate they are beside CUB's. On the emulator, and at full size on a GPU where there is one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/harness/bench_run.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"

namespace ladder {
namespace {

constexpr std::size_t output = 1;  // its place in the signature
constexpr int calls = 100;
const char* const step_06 = "step_06_two_pass";
const char* const step_07 = "step_07_last_block";

const Problem& reduction() {
  return *problems().find("reduction");
}

Case zero_mean(std::int64_t elements, std::uint64_t seed) {
  Case tried;
  tried.parameters.set("N", static_cast<double>(elements));
  tried.distribution = Distribution::random;  // uniform in [-1, 1)
  tried.seed = seed;
  return tried;
}

// Sums of arrays, by any of the chapter's solvers, on one backend.
class Machine {
 public:
  virtual ~Machine() = default;
  // The sums that `count` calls give for the same contents.
  virtual std::vector<double> sums(const char* solver, const Case& tried,
                                   const Inputs& inputs, int count) = 0;

 protected:
  std::filesystem::path build(const char* solver,
                              std::optional<int> sass) const {
    BuildRequest request;
    request.source =
        tree_.source / "chapters/03_reduction" / (std::string(solver) + ".cu");
    request.problem = &reduction();
    request.sass = sass;
    return build_solver(tree_, toolkit_, request).object;
  }

  Tree tree_ = Tree::find();
  Toolkit toolkit_ = Toolkit::require();
  JudgeOptions options_;
};

class Emulator : public Machine {
 public:
  std::vector<double> sums(const char* solver, const Case& tried,
                           const Inputs& inputs, int count) override {
    SolverRun run(reduction(), build(solver, std::nullopt),
                  worker_options(tree_, toolkit_, Backend::emulator, options_));
    REQUIRE(run.start().verdict == Verdict::solved);
    const Exchange exchange(reduction(), tried.parameters, inputs,
                            run.guard_bytes());
    std::vector<double> sums;
    for (int i = 0; i < count; ++i) {
      const auto order = static_cast<std::uint64_t>(i);
      const CallResult result = run.call(
          exchange, {.what = emulator::watch_memcheck, .order_seed = order});
      REQUIRE_MESSAGE(result.outcome.verdict == Verdict::solved,
                      result.outcome.message);
      sums.push_back(result.results[output].value(0));
    }
    return sums;
  }
};

class Gpu : public Machine {
 public:
  // Null where there is none.
  static std::unique_ptr<Machine> find() {
    try {
      return std::make_unique<Gpu>();
    } catch (const Error& error) {
      if (error.verdict() != Verdict::skipped) throw;
      MESSAGE("not judged on a GPU: " << std::string(error.what()));
      return nullptr;
    }
  }
  Gpu() : machine_(tree_, toolkit_, options_) {}

  std::vector<double> sums(const char* solver, const Case& tried,
                           const Inputs& inputs, int count) override {
    const std::unique_ptr<WorkerProcess> worker = machine_.start();
    const Answer loaded = worker->load(build(solver, machine_.architecture()));
    REQUIRE(loaded.end == Answer::End::replied);
    REQUIRE_MESSAGE(loaded.reply->outcome == protocol::Outcome::done,
                    loaded.reply->text);
    const Exchange exchange(reduction(), tried.parameters, inputs,
                            worker->guard_bytes(), Exchange::Purpose::timed);
    std::vector<double> sums;
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint32_t>(loaded.reply->number);
      const Answer answer =
          worker->timed_call(index, exchange, tried.seed, true);
      REQUIRE(answer.end == Answer::End::replied);
      REQUIRE_MESSAGE(answer.reply->outcome == protocol::Outcome::done,
                      answer.reply->text);
      sums.push_back(exchange.result(output).value(0));
    }
    return sums;
  }

 private:
  BenchMachine machine_;
};

void check_equal_bits(Machine& machine, std::int64_t elements) {
  const Case tried = zero_mean(elements, 1);
  const Inputs inputs = make_inputs(reduction(), tried);
  for (const char* solver : {step_06, step_07}) {
    CAPTURE(solver);
    CAPTURE(elements);
    const std::vector<double> sums = machine.sums(solver, tried, inputs, calls);
    CHECK(std::count(sums.begin(), sums.end(), sums[0]) == calls);
  }
}

// Which of two roundings is the luckier differs from array to array, so their
// squares are compared.
void check_accuracy(Machine& machine, std::int64_t elements) {
  double ours_squared = 0, theirs_squared = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Case tried = zero_mean(elements, seed);
    const Inputs inputs = make_inputs(reduction(), tried);
    const Expected expected = reduction().reference(tried, inputs)[0](0);
    const double ours =
        machine.sums(step_07, tried, inputs, 1)[0] - expected.value;
    const double theirs =
        machine.sums("ceiling_cub", tried, inputs, 1)[0] - expected.value;
    const std::string errors = "N = " + std::to_string(elements) + ": error " +
                               std::to_string(ours) + ", CUB's " +
                               std::to_string(theirs);
    MESSAGE(errors);
    CHECK(std::fabs(ours) <= expected.bound);
    ours_squared += ours * ours;
    theirs_squared += theirs * theirs;
  }
  CHECK(ours_squared <= theirs_squared);
}

}  // namespace

TEST_CASE(
    "steps 06 and 07 give equal bits on each of 100 calls with equal input") {
  Emulator emulator;
  check_equal_bits(emulator, 20'011);
  if (const auto gpu = Gpu::find()) {
    check_equal_bits(*gpu, 1'000'003);
    check_equal_bits(*gpu, std::int64_t{1} << 28);
  }
}

TEST_CASE(
    "step 07 sums zero-mean floats within the bound and at least as accurately "
    "as CUB") {
  Emulator emulator;
  check_accuracy(emulator, std::int64_t{1} << 20);
  if (const auto gpu = Gpu::find()) check_accuracy(*gpu, std::int64_t{1} << 28);
}

}  // namespace ladder
