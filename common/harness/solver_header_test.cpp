#include "common/harness/solver_header.hpp"

#include <doctest/doctest.h>

#include "common/harness/verdict.hpp"

using namespace ladder;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_solver_header(text, "step.cu");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a whole header is read, key by key") {
  const SolverHeader header = parse_solver_header(
      "//! # Step 02: one atomic per block {#reduction_step_02}\n"
      "//! @builds-on step_01_atomic\n"
      "//! @needs     sm_80 shared=100K\n"
      "//! @new       __shared__, __syncthreads\n"
      "//! @problem   max\n"
      "//! @limits    N <= 1024, N >= 4\n"
      "//! @nondeterministic atomics add in any order\n"
      "//! @links     cublas\n"
      "//! @goal  shared.wavefronts == ideal at rows=512, cols=384\n"
      "//! @goal  time <= 1.1 x step_05 at N=2^26\n"
      "//! @claim global.load.requests == 128\n"
      "//! @fails wrong at N=257 N=1e3 passes N=256\n"
      "//!\n"
      "//! **Idea.** Sum inside the block first.\n"
      "//! @solution\n"
      "//! Because.\n"
      "#include <cuda_runtime.h>\n",
      "step.cu");
  CHECK(header.title == "Step 02: one atomic per block");
  CHECK(header.idea == "one atomic per block");
  CHECK(header.anchor == "reduction_step_02");
  CHECK(header.builds_on == std::vector<std::string>{"step_01_atomic"});
  CHECK(header.needs.architecture == 80);
  CHECK(header.needs.shared_bytes == 100 * 1024);
  CHECK(header.introduces == std::vector<std::string>{"__shared__", "__syncthreads"});
  CHECK(header.problem == "max");
  REQUIRE(header.limits.size() == 2);
  CHECK(header.limits[0].holds(Parameters{{"N", 1024}}));
  CHECK_FALSE(header.limits[0].holds(Parameters{{"N", 1025}}));
  CHECK_FALSE(header.limits[1].holds(Parameters{{"N", 3}}));
  CHECK(header.nondeterministic == "atomics add in any order");
  CHECK(header.links == std::vector<std::string>{"cublas"});
  REQUIRE(header.goals.size() == 2);
  CHECK(header.goals[0].metric == "shared.wavefronts");
  CHECK(header.goals[0].reference == "ideal");
  CHECK(header.goals[0].line == 9);
  CHECK((*header.goals[0].at)["cols"] == 384);
  CHECK(header.goals[1].factor == 1.1);
  CHECK(header.goals[1].reference == "step_05");
  CHECK((*header.goals[1].at)["N"] == 1 << 26);
  REQUIRE(header.claims.size() == 1);
  CHECK(header.claims[0].factor == 128);
  CHECK(header.claims[0].reference.empty());
  CHECK(header.fails.kind == Failure::Kind::wrong);
  REQUIRE(header.fails.fails_at.size() == 2);
  CHECK(header.fails.fails_at[1].parameters["N"] == 1000);
  REQUIRE(header.fails.passes_at.size() == 1);
  CHECK(header.prose == "**Idea.** Sum inside the block first.");
  CHECK(header.solution_prose == "Because.");
}

TEST_CASE("a stranger's file has the default header, Doxygen comments or not") {
  for (const char* text :
       {"", "__global__ void k() {}\n", "//! @brief adds\n//! @param A left\n"}) {
    const SolverHeader header = parse_solver_header(text, "stranger.cu");
    CHECK(header.title.empty());
    CHECK(header.needs.architecture == 75);
    CHECK(header.fails.kind == Failure::Kind::none);
    CHECK(header.stub_fails.kind == Failure::Kind::wrong);
  }
}

TEST_CASE("a racing mutant names its observer") {
  const SolverHeader header = parse_solver_header("//! @fails trap racecheck\n", "mutant.cu");
  CHECK(header.fails.kind == Failure::Kind::trap);
  CHECK(header.fails.observer == "racecheck");
}

TEST_CASE("header errors name file, line and what would be right") {
  const struct {
    const char* text;
    const char* message;
  } table[] = {
      {"//! # T\n//! @gaol x == 1\n", "step.cu:2: unknown key @gaol; did you mean 'goal'?"},
      {"//! # T\n//! @builds_on a\n",
       "step.cu:2: unknown key @builds_on; did you mean 'builds-on'?"},
      {"//! # T\n\n//! @needs sm_80\n//! @needs sm_75\n",
       "step.cu:4: @needs is given twice (first on line 3)"},
      {"//! # T\n//! @needs\n", "step.cu:2: @needs lacks its value"},
      {"//! # T\n//! @needs fast\n",
       "step.cu:2: @needs: 'fast' is no need: 'sm_80' or 'shared=100K'"},
      {"//! # T\n//! @needs sm_x\n", "step.cu:2: @needs: 'sm_x' is no architecture, such as sm_80"},
      {"//! # T\n//! @needs shared=lots\n",
       "step.cu:2: @needs: 'shared=lots' is no amount, such as shared=100K"},
      {"//! # T\n//! @needs shared=1e300\n",
       "step.cu:2: @needs: 'shared=1e300' is no amount, such as shared=100K"},
      {"//! # T\n//! @needs sm_nan\n",
       "step.cu:2: @needs: 'sm_nan' is no architecture, such as sm_80"},
      {"//! # T\n//! @limits N <= inf\n",
       "step.cu:2: @limits: 'N <= inf': a limit reads 'N <= 1024', several separated by commas"},
      {"//! # T\n//! @limits N <= 2^9999\n",
       "step.cu:2: @limits: 'N <= 2^9999': a limit reads 'N <= 1024', several separated by commas"},
      {"//! # T\n//! @limits N <= 1e300\n",
       "step.cu:2: @limits: 'N <= 1e300': a limit is an integer, of at most 2^53"},
      {"//! # T\n//! @limits N <= 1.5\n",
       "step.cu:2: @limits: 'N <= 1.5': a limit is an integer, of at most 2^53"},
      {"//! # T\n//! @limits N around 7\n",
       "step.cu:2: @limits: 'N around 7': a limit reads 'N <= 1024', several separated by commas"},
      {"//! # T\n//! @goal x = 3\n", "step.cu:2: @goal: '=' is no comparison"},
      {"//! # T\n//! @goal x ==\n", "step.cu:2: @goal: a relation reads 'METRIC"},
      {"//! # T\n//! @goal x == 2 times step_05\n", "step.cu:2: @goal: a relation reads 'METRIC"},
      {"//! # T\n//! @goal x == 2 at\n", "step.cu:2: @goal: 'at' is followed by nothing"},
      {"//! # T\n//! @goal x == 2 at N\n",
       "step.cu:2: @goal: 'N' is no parameter; write N=257, N=2^26 or N=1e8"},
      {"//! # T\n//! @goal x == 2 at N=1,N=2\n", "step.cu:2: @goal: parameter N is given twice"},
      {"//! # T\n//! @fails badly\n",
       "step.cu:2: @fails: 'badly' is no way to fail: wrong, trap, budget or goal"},
      {"//! # T\n//! @fails trap wildly\n", "step.cu:2: @fails: 'wildly' is neither an observer"},
      {"//! # T\n//! @stub-fails wrong at N=1,\n",
       "step.cu:2: @stub-fails: 'N=1,' ends in a comma"},
      {"//! # T\n//! @links cu/blas\n", "step.cu:2: @links: 'cu/blas' is no solver's name"},
      {"//! # T\n//! @problem vector add\n",
       "step.cu:2: @problem: 'vector add' is no problem's name"},
      {"//! # T {#a b}\n", "step.cu:1: 'a b' is no anchor: letters, digits and _"},
      {"//! # T {#a\n", "step.cu:1: the title's anchor lacks its '}'"},
      {"//! # T\n//! @new a,,b\n", "step.cu:2: @new: an empty name in 'a,,b'"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    const std::string message = error_of(row.text);
    CHECK_MESSAGE(message.rfind(row.message, 0) == 0, message);
  }
}

TEST_CASE("a case names a size and, if wanted, a distribution") {
  const CaseSelector plain = parse_case("N=257");
  CHECK(plain.parameters["N"] == 257);
  CHECK_FALSE(plain.distribution.has_value());
  const CaseSelector outlier = parse_case("rows=3,distribution=outlier,cols=5");
  CHECK(outlier.parameters == Parameters{{"rows", 3}, {"cols", 5}});
  CHECK(outlier.distribution == Distribution::outlier);
  CHECK_THROWS_AS(parse_case("N=1 distribution=odd"), UsageError);
  CHECK_THROWS_AS(parse_case("distribution=outlier"), UsageError);
}

TEST_CASE("parameters are powers, exponents and plain numbers, by comma or blank") {
  CHECK(parse_parameters("N=2^26")["N"] == 1 << 26);
  CHECK(parse_parameters("N=1e8")["N"] == 100000000);
  CHECK(parse_parameters("M=7, N=5 K=3") == Parameters{{"M", 7}, {"N", 5}, {"K", 3}});
  CHECK(parse_parameters("alpha=-1.5").real("alpha") == -1.5);
  for (const char* bad : {"", "N", "N=", "=5", "N=two", "N=2^", "N=1e999", "N=nan", "5=N"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_parameters(bad), UsageError);
  }
}
