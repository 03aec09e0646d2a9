// The bench's logic, with the emulator in the place of a GPU: its times mean nothing, but the road
// of inputs, samples and checks is the same.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "common/harness/bench_run.hpp"
#include "common/harness/test_paths.hpp"
#include "common/harness/test_problems.hpp"

namespace ladder {
namespace {

const Tree tree{test_paths::source, test_paths::build};

JudgeOptions on_emulator() {
  JudgeOptions options;
  options.cudart = test_paths::emulator;
  return options;
}

struct Timed {
  Toolkit toolkit = Toolkit::require();
  JudgeOptions options = on_emulator();
  BenchMachine machine{tree, toolkit, options};
  Problem problem = test_vector_add();

  TimedSize time(const std::vector<const char*>& files) {
    std::vector<TimedSubject> subjects;
    for (const char* file : files) {
      BuildRequest request;
      request.source = std::filesystem::path(test_paths::fixtures) / file;
      request.problem = &problem;
      subjects.push_back(
          {file, build_solver(tree, toolkit, request).object, Verdict::solved, "", {}, ""});
    }
    return time_size(machine, problem, subjects, {{"N", 5000}}, options, {3, 3, 5});
  }
};

TEST_CASE("the median's interval comes from order statistics and narrows with samples") {
  std::vector<double> few, many;
  for (int i = 0; i < 400; ++i) (i < 20 ? few : many).push_back(100 + i % 20);
  const Timing wide = timing_of(few), narrow = timing_of(many);
  CHECK(wide.median_us == doctest::Approx(109.5));
  CHECK(wide.low_us < wide.median_us);
  CHECK(wide.high_us > wide.median_us);
  CHECK(uncertainty(narrow) < uncertainty(wide));
  CHECK(timing_of({7}).median_us == 7);
  CHECK(timing_of({}).samples == 0);
}

TEST_CASE("a solver that takes half of its ceiling's time has twice its speed") {
  const Ceiling compared = measured_by({50, 40, 60, 9}, "library", {100, 90, 120, 9});
  CHECK(compared.name == "library");
  CHECK(compared.ratio == 2);
  CHECK(compared.ratio_low == 1.5);
  CHECK(compared.ratio_high == 3);
}

TEST_CASE("a size is halved until its arrays and copies fit the memory") {
  const Problem problem = test_vector_add();
  const Parameters wanted{{"N", 1 << 28}};
  CHECK(shrunk_to_fit(problem, wanted, std::uint64_t{64} << 30) == wanted);
  const Parameters shrunk = shrunk_to_fit(problem, wanted, std::uint64_t{4} << 30);
  CHECK(shrunk["N"] == 1 << 27);
}

TEST_CASE("right solvers are timed, interleaved with copies, and their answers compared") {
  const TimedSize size = Timed().time({"moods.cu"});
  REQUIRE(size.subjects.size() == 1);
  CHECK_MESSAGE(size.subjects[0].verdict == Verdict::solved, size.subjects[0].message);
  CHECK(size.subjects[0].timing.samples == 3);
  const Timing& timing = size.subjects[0].timing;
  CHECK(timing.median_us > 0);
  // The calls that are compared before and after are no samples.
  CHECK(timing.low_us <= timing.median_us);
  CHECK(timing.median_us <= timing.high_us);
  CHECK(size.copy.samples == 3);
}

TEST_CASE("an answer that is wrong only after the samples takes the time with it") {
  setenv("LADDER_FIXTURE", "tires", 1);  // after one compared call and five timed ones
  const TimedSize size = Timed().time({"moods.cu"});
  unsetenv("LADDER_FIXTURE");
  CHECK(size.subjects[0].verdict == Verdict::wrong);
  CHECK(size.subjects[0].timing.samples == 0);
}

TEST_CASE("a timed answer is held to the bound of its solver's header") {
  Timed timed;
  const auto loose = timed.problem.reference;
  timed.problem.reference = [loose](const Case& tried, const Inputs& inputs) {
    return std::vector<Reference>{
        [one = loose(tried, inputs)[0], tight = tried.bound == "tight"](std::int64_t i) mutable {
          Expected expected = one(i);
          expected.value += tight;  // nobody is that exact
          return expected;
        }};
  };
  BenchSubject plain{"plain", std::filesystem::path(test_paths::fixtures) / "plain.cu", {}};
  BenchSubject tight = plain;
  tight.header.bound = "tight";
  timed.options.time_limit_s = 6;
  const std::vector<TimedSubject> subjects = time_subjects(
      tree, timed.toolkit, timed.problem, {plain, tight}, {{"N", 100}}, timed.options);
  CHECK(subjects[0].verdict == Verdict::solved);
  CHECK(subjects[1].verdict == Verdict::wrong);
}

TEST_CASE("a wrong answer gives no time, and a crash costs the others nothing") {
  setenv("LADDER_FIXTURE", "lost tail", 1);
  const TimedSize wrong = Timed().time({"moods.cu"});
  CHECK(wrong.subjects[0].verdict == Verdict::wrong);
  CHECK(wrong.subjects[0].timing.samples == 0);
  CHECK(wrong.subjects[0].message.find("C[4864]") != std::string::npos);
  setenv("LADDER_FIXTURE", "exit", 1);
  const TimedSize crashed = Timed().time({"moods.cu", "plain.cu"});
  unsetenv("LADDER_FIXTURE");
  CHECK(crashed.subjects[0].verdict == Verdict::trapped);
  CHECK_MESSAGE(crashed.subjects[1].verdict == Verdict::solved, crashed.subjects[1].message);
  CHECK(crashed.subjects[1].timing.samples == 3);
}

}  // namespace
}  // namespace ladder
