#include "chapters/sum_tests.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/harness/bench_run.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_header.hpp"
#include "common/harness/solver_run.hpp"

namespace ladder {

namespace {

constexpr int calls = 100;

std::size_t only_output_of(const Problem& problem) {
  const auto found = std::find_if(
      problem.arguments.begin(), problem.arguments.end(),
      [](const Argument& argument) { return argument.role == Role::out; });
  return static_cast<std::size_t>(found - problem.arguments.begin());
}

// What both backends need.
struct Workshop {
  std::filesystem::path build(const Problem& problem, const std::string& solver,
                              std::optional<int> sass) const {
    BuildRequest request;
    request.source =
        tree.source / "chapters" / problem.chapter / (solver + ".cu");
    request.problem = &problem;
    request.sass = sass;
    request.links = read_solver_header(request.source).links;
    return build_solver(tree, toolkit, request).object;
  }

  Tree tree = Tree::find();
  Toolkit toolkit = Toolkit::require();
  JudgeOptions options;
};

class Emulator : public SumMachine {
 public:
  explicit Emulator(const Problem& problem) : SumMachine(problem) {}

  std::vector<double> sums(const std::string& solver, const Case& tried,
                           const Inputs& inputs, int count) override {
    SolverRun run(problem(), shop_.build(problem(), solver, std::nullopt),
                  worker_options(shop_.tree, shop_.toolkit, Backend::emulator,
                                 shop_.options));
    REQUIRE(run.start().verdict == Verdict::solved);
    const Exchange exchange(problem(), tried.parameters, inputs,
                            run.guard_bytes());
    std::vector<double> sums;
    for (int i = 0; i < count; ++i) {
      const auto order = static_cast<std::uint64_t>(i);
      const CallResult result = run.call(
          exchange, {.what = emulator::watch_memcheck, .order_seed = order});
      REQUIRE_MESSAGE(result.outcome.verdict == Verdict::solved,
                      result.outcome.message);
      sums.push_back(result.results[output()].value(0));
    }
    return sums;
  }

 private:
  Workshop shop_;
};

class Gpu : public SumMachine {
 public:
  explicit Gpu(const Problem& problem)
      : SumMachine(problem),
        machine_(shop_.tree, shop_.toolkit, shop_.options) {}

  std::vector<double> sums(const std::string& solver, const Case& tried,
                           const Inputs& inputs, int count) override {
    const std::unique_ptr<WorkerProcess> worker = machine_.start();
    const Answer loaded =
        worker->load(shop_.build(problem(), solver, machine_.architecture()));
    REQUIRE(loaded.end == Answer::End::replied);
    REQUIRE_MESSAGE(loaded.reply->outcome == protocol::Outcome::done,
                    loaded.reply->text);
    const Exchange exchange(problem(), tried.parameters, inputs,
                            worker->guard_bytes(), Exchange::Purpose::timed);
    std::vector<double> sums;
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint32_t>(loaded.reply->number);
      const Answer answer =
          worker->timed_call(index, exchange, tried.seed, true);
      REQUIRE(answer.end == Answer::End::replied);
      REQUIRE_MESSAGE(answer.reply->outcome == protocol::Outcome::done,
                      answer.reply->text);
      sums.push_back(exchange.result(output()).value(0));
    }
    return sums;
  }

 private:
  Workshop shop_;
  BenchMachine machine_;
};

}  // namespace

Case sum_case(std::int64_t elements, std::uint64_t seed,
              Distribution distribution) {
  Case tried;
  tried.parameters.set("N", static_cast<double>(elements));
  tried.distribution = distribution;
  tried.seed = seed;
  return tried;
}

SumMachine::SumMachine(const Problem& problem)
    : problem_(problem), output_(only_output_of(problem)) {}

std::unique_ptr<SumMachine> sums_on_emulator(const Problem& problem) {
  return std::make_unique<Emulator>(problem);
}

std::unique_ptr<SumMachine> sums_on_gpu(const Problem& problem) {
  try {
    return std::make_unique<Gpu>(problem);
  } catch (const Error& error) {
    if (error.verdict() != Verdict::skipped) throw;
    MESSAGE("not judged on a GPU: " << std::string(error.what()));
    return nullptr;
  }
}

void check_equal_bits(SumMachine& machine,
                      const std::vector<std::string>& solvers,
                      std::int64_t elements) {
  const Case tried = sum_case(elements, 1);
  const Inputs inputs = make_inputs(machine.problem(), tried);
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    CAPTURE(elements);
    const std::vector<double> sums = machine.sums(solver, tried, inputs, calls);
    CHECK(std::count(sums.begin(), sums.end(), sums[0]) == calls);
  }
}

void check_at_least_as_accurate(SumMachine& machine, const std::string& ours,
                                const std::string& theirs,
                                std::int64_t elements) {
  double ours_squared = 0, theirs_squared = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Case tried = sum_case(elements, seed);
    const Inputs inputs = make_inputs(machine.problem(), tried);
    const Expected expected = machine.problem().reference(tried, inputs)[0](0);
    const auto error_of = [&](const std::string& solver) {
      return machine.sums(solver, tried, inputs, 1)[0] - expected.value;
    };
    const double our_error = error_of(ours), their_error = error_of(theirs);
    const std::string errors = "N = " + std::to_string(elements) + ": error " +
                               std::to_string(our_error) + ", of " + theirs +
                               " " + std::to_string(their_error);
    MESSAGE(errors);
    CHECK(std::fabs(our_error) <= expected.bound);
    ours_squared += our_error * our_error;
    theirs_squared += their_error * their_error;
  }
  CHECK(ours_squared <= theirs_squared);
}

}  // namespace ladder
