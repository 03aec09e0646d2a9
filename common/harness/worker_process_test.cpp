// The worker and its protocol, on a fake runtime with a fake solver: no CUDA is needed.
#include "common/harness/worker_process.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/test_paths.hpp"
#include "common/harness/test_problems.hpp"

namespace ladder {
namespace {

WorkerOptions fake_options() {
  WorkerOptions options;
  options.executable = test_paths::worker;
  options.cudart = test_paths::fake_cudart;
  options.time_limit_s = 5;
  return options;
}

// Sets the fake solver's mood for the workers started while it lives.
class Mood {
 public:
  explicit Mood(const char* name) { setenv("LADDER_FAKE_SOLVER", name, 1); }
  ~Mood() { unsetenv("LADDER_FAKE_SOLVER"); }
};

struct Fake {
  Problem problem = test_vector_add();
  Case tried{{{"N", 100}}, Distribution::random, 7, ""};
  Inputs inputs = make_inputs(problem, tried);
  Exchange exchange{problem, tried.parameters, inputs, 4096};
  SolverRun run{problem, test_paths::fake_solver, fake_options()};

  CallResult call() { return run.call(exchange); }
};

CallResult call_in(const char* mood) {
  const Mood set(mood);
  return Fake().call();
}

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("not in: " << text);
  return found;
}

TEST_CASE("a call brings outputs back and leaves inputs alone") {
  Fake fake;
  const CallResult result = fake.call();
  REQUIRE(result.outcome.verdict == Verdict::solved);
  for (int i = 0; i < 100; ++i)
    CHECK(result.results[2].value(i) == static_cast<float>(fake.inputs.at("A").value(i)) +
                                            static_cast<float>(fake.inputs.at("B").value(i)));
  CHECK(std::equal(result.results[0].bytes().begin(), result.results[0].bytes().end(),
                   fake.inputs.at("A").bytes().begin()));
}

TEST_CASE("one worker answers many calls in the same arrays") {
  Fake fake;
  const std::vector<Buffer> first = fake.call().results;
  for (int i = 0; i < 50; ++i) {
    const CallResult again = fake.call();
    REQUIRE(again.outcome.verdict == Verdict::solved);
    CHECK(std::ranges::equal(again.results[2].bytes(), first[2].bytes()));
  }
}

TEST_CASE("inputs cannot be written through their descriptor") {
  Fake fake;
  const char byte = 1;
  CHECK(write(fake.exchange.inputs(), &byte, 1) < 0);
  CHECK(ftruncate(fake.exchange.results(), 0) < 0);
}

TEST_CASE("outputs are poisoned before every call") {
  const CallResult result = call_in("write nothing");
  REQUIRE(result.outcome.verdict == Verdict::solved);
  const auto bytes = result.results[2].bytes();
  CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0xFF}; }));
}

TEST_CASE("a solver that ends its process is trapped, whatever the exit code") {
  const CallResult result = call_in("exit");
  CHECK(result.outcome.verdict == Verdict::trapped);
  CHECK(contains(result.outcome.message, "ended its process (exit code 0) inside solve"));
  const CallResult early = call_in("exit in constructor");
  CHECK(early.outcome.verdict == Verdict::trapped);
  CHECK(contains(early.outcome.message, "while it was loaded"));
}

TEST_CASE("a loop without end runs out of time, whatever it did to its descriptors and group") {
  for (const char* mood :
       {"loop", "closes the channel", "writes to the channel", "leaves its group"}) {
    CAPTURE(mood);
    const Mood set(mood);
    Fake fake;
    WorkerOptions options = fake_options();
    options.time_limit_s = 0.3;
    SolverRun run(fake.problem, test_paths::fake_solver, options);
    const CallResult result = run.call(fake.exchange);
    CHECK(result.outcome.verdict == Verdict::out_of_budget);
    CHECK(contains(result.outcome.message, "no answer after 0.3 s"));
    CHECK(result.answer.seconds < 30);  // of a loop without end; how busy the machine is varies
  }
}

TEST_CASE("a solver that closes the worker's descriptors and returns is trapped") {
  const CallResult result = call_in("closes the channel and returns");
  CHECK(result.outcome.verdict == Verdict::trapped);
  CHECK(contains(result.outcome.message, "ended its process"));
}

TEST_CASE("crashes of host code are trapped and named") {
  const CallResult crash = call_in("crash");
  CHECK(crash.outcome.verdict == Verdict::trapped);
  CHECK(contains(crash.outcome.message, "SIGSEGV at address 0x8"));
  CHECK(contains(crash.outcome.message, "null pointer"));
  CHECK(contains(call_in("abort").outcome.message, "SIGABRT"));
}

TEST_CASE("a C++ exception that leaves solve is trapped, std::bad_alloc is out of memory") {
  const CallResult thrown = call_in("throw");
  CHECK(thrown.outcome.verdict == Verdict::trapped);
  CHECK(contains(thrown.outcome.message, "no luck"));
  CHECK(call_in("bad_alloc").outcome.verdict == Verdict::out_of_budget);
}

TEST_CASE("what fails in the worker itself is not the solver's failure") {
  Fake fake;
  WorkerProcess worker(fake_options());
  worker.load(test_paths::fake_solver);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Descriptor first(ends[0]), second(ends[1]);  // which cannot be mapped
  protocol::Command command = fake.exchange.command();
  command.request = protocol::Request::call;
  const Answer answer = worker.request(command, first.get(), second.get());
  const Outcome outcome = outcome_of(answer, During::call, fake.problem, fake_options());
  CHECK(outcome.verdict == Verdict::machine_fault);
  CHECK(contains(outcome.message, "the worker failed, not the solver: cannot map"));
}

TEST_CASE("a refusal and a failed CUDA_CHECK reach the judge as text") {
  const CallResult refused = call_in("refuse");
  CHECK(refused.outcome.refused);
  CHECK(refused.outcome.refusal == "N is odd");
  const CallResult failed = call_in("fail");
  CHECK(failed.outcome.verdict == Verdict::trapped);
  CHECK(contains(failed.outcome.message, "file.cu:7: cudaMalloc"));
}

TEST_CASE("arrays have guards, except where another checker is to see their ends") {
  Fake fake;
  fake.run.start();
  CHECK(fake.run.guard_bytes() > 0);
  WorkerOptions exact = fake_options();
  exact.exact_arrays = true;
  SolverRun run(fake.problem, test_paths::fake_solver, exact);
  run.start();
  CHECK(run.guard_bytes() == 0);
}

TEST_CASE("a damaged guard is trapped on either side of an array") {
  const CallResult over = call_in("overrun");
  CHECK(over.outcome.verdict == Verdict::trapped);
  CHECK(contains(over.outcome.message, "after the end of C"));
  CHECK(contains(call_in("underrun").outcome.message, "before C was overwritten: element -1"));
}

TEST_CASE("what a solver prints is kept, within bounds") {
  const Mood set("print");
  Fake fake;
  fake.call();
  CHECK(fake.run.take_printed() == "the solver printed:\n  hello from solve");
  const Mood more("print much");
  Fake chatty;
  CHECK(chatty.call().outcome.verdict == Verdict::solved);
  const std::string printed = chatty.run.take_printed();
  CHECK(printed.size() < 1000);
  CHECK(contains(printed, "..."));
}

TEST_CASE("after a trap the next call gets a fresh worker") {
  Fake fake;
  {
    const Mood set("exit");
    CHECK(fake.call().outcome.verdict == Verdict::trapped);
  }
  CHECK(fake.call().outcome.verdict == Verdict::solved);
}

TEST_CASE("without a GPU the backend is skipped, and a runtime that is none is said to be none") {
  setenv("LADDER_FAKE_DEVICES", "0", 1);
  Fake fake;
  CHECK(fake.run.start().verdict == Verdict::skipped);
  CHECK(contains(fake.run.start().message, "no usable GPU"));
  unsetenv("LADDER_FAKE_DEVICES");
  WorkerOptions options = fake_options();
  options.cudart = test_paths::fake_solver;
  SolverRun run(fake.problem, test_paths::fake_solver, options);
  CHECK(contains(run.start().message, "is not a CUDA runtime"));
}

TEST_CASE("an emulator of another version is refused before it is called") {
  setenv("LADDER_FAKE_EMULATOR", "2", 1);
  Fake fake;
  WorkerOptions options = fake_options();
  options.emulated = true;
  SolverRun run(fake.problem, test_paths::fake_solver, options);
  const Outcome started = run.start();
  unsetenv("LADDER_FAKE_EMULATOR");
  CHECK(started.verdict == Verdict::machine_fault);
  CHECK(contains(started.message, "is an emulator of another version (its control is 2, ours is"));
}

TEST_CASE("a library without solve does not count as compiled") {
  Fake fake;
  SolverRun run(fake.problem, test_paths::fake_cudart, fake_options());
  CHECK(run.start().verdict == Verdict::not_compiled);
  CHECK(contains(run.start().message, "void solve(const float* A"));
}

}  // namespace
}  // namespace ladder
