// End to end: .cu files, built by the builder, run on the emulator, judged. Each mistake must get
// its verdict and the sentence that helps.
#include "common/harness/judge.hpp"

#include <doctest/doctest.h>

#include "common/harness/bench.hpp"
#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/profile.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/test_paths.hpp"
#include "common/harness/test_problems.hpp"

namespace ladder {
namespace {

// The same with a bound instead of equality.
Problem loose_add() {
  Problem problem = test_vector_add();
  problem.has_exact = false;
  const auto exact = problem.reference;
  problem.reference = [exact](const Case& tried, const Inputs& inputs) {
    return std::vector<Reference>{[one = exact(tried, inputs)[0]](std::int64_t i) mutable {
      Expected expected = one(i);
      expected.bound = 1e-5;
      return expected;
    }};
  };
  return problem;
}

JudgeOptions quick() {
  JudgeOptions options;
  options.time_limit_s = 10;
  return options;
}

SolverReport judge_file(const char* file, const Problem& problem, const SolverHeader& header = {},
                        const JudgeOptions& options = quick()) {
  static const Tree tree{test_paths::source, test_paths::build};
  static const Toolkit toolkit = Toolkit::require();
  return judge_solver(tree, toolkit, std::filesystem::path(test_paths::fixtures) / file, problem,
                      header, options);
}

SolverReport judge_mood(const char* mood, const Problem& problem = test_vector_add(),
                        const SolverHeader& header = {}, const JudgeOptions& options = quick()) {
  setenv("LADDER_FIXTURE", mood, 1);
  const SolverReport report = judge_file("moods.cu", problem, header, options);
  unsetenv("LADDER_FIXTURE");
  return report;
}

void check(const SolverReport& report, Verdict verdict, const std::string& sentence) {
  CHECK_MESSAGE(report.verdict == verdict, report.message);
  CHECK_MESSAGE(report.message.find(sentence) != std::string::npos, report.message);
}

SolverHeader with_goal(const std::string& metric, Relation::Operator op,
                       std::optional<double> factor, const std::string& reference) {
  SolverHeader header;
  Relation goal;
  goal.metric = metric;
  goal.op = op;
  goal.factor = factor;
  goal.reference = reference;
  goal.at = Parameters{{"N", 1024}};
  goal.line = 3;
  header.goals = {goal};
  return header;
}

TEST_CASE("a right solver is solved at every size, and its counters are taken") {
  JudgeOptions options = quick();
  options.own = true;
  const SolverReport report = judge_mood("right", test_vector_add(), {}, options);
  check(report, Verdict::solved, "");
  CHECK(report.cases.size() > 8);
  CHECK(report.counted_at == Parameters{{"N", 1024}});
  CHECK(report.counters.at("launches") == 1);
  CHECK(report.counters.at("global.load.requests") == 64);
  CHECK(report.counters.at("global.load.sectors") == 256);
  CHECK(report.counters.at("global.store.sectors") == 128);
  CHECK(report.notes.empty());
}

TEST_CASE("own memory, copies, cudaMemset, several kernels and recursive launches are all right") {
  check(judge_mood("detours"), Verdict::solved, "");
  check(judge_mood("recursion"), Verdict::solved, "");
}

TEST_CASE("memory that every call leaves behind is noted; one workspace is not") {
  const SolverReport report = judge_mood("leak");
  check(report, Verdict::solved, "");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("leaves about 100 bytes of device memory") != std::string::npos);
  CHECK(judge_mood("workspace").notes.empty());
}

TEST_CASE("a lost tail is wrong, and the hint names the block") {
  const SolverReport report = judge_mood("lost tail");
  check(report, Verdict::wrong, "wrong answer: vector_add, N = 1, exact");
  check(report, Verdict::wrong,
        "every size that is a multiple of 256 is right: look at the last block's tail");
}

TEST_CASE("a failure says by which seed its inputs come back, and with it fails again") {
  Problem problem = test_vector_add();
  problem.sizes = [](Tier) { return test_sizes({256, 257}); };
  const SolverReport report = judge_mood("lost tail", problem);
  const std::string words = "with the inputs of --seed ";
  check(report, Verdict::wrong, words);
  JudgeOptions options = quick();
  options.cases = {{{{"N", 257}}, Distribution::exact}};
  const SolverReport first = judge_mood("lost tail", problem, {}, options);
  CHECK(first.message.find(words) == std::string::npos);
  options.seed = std::stoull(report.message.substr(report.message.find(words) + words.size()));
  const SolverReport again = judge_mood("lost tail", problem, {}, options);
  const auto values = [](const SolverReport& of) {
    const std::size_t begin = of.message.find("expected");
    return of.message.substr(begin, of.message.find('\n', begin) - begin);
  };
  CHECK(values(again) == values(report));
  CHECK(values(first) != values(report));
}

TEST_CASE("a write out of bounds by one float is trapped with its line") {
  const SolverReport report = judge_mood("out of bounds");
  check(report, Verdict::trapped, "trapped: vector_add, N = 1, exact");
  check(report, Verdict::trapped, "moods.cu:25");
  check(report, Verdict::trapped, "right after the 4-byte allocation 'C'");
}

TEST_CASE("an output that is never written is wrong and said to be so") {
  check(judge_mood("never written"), Verdict::wrong, "never written");
}

TEST_CASE("an output that is added to without being set is wrong: it held NaN") {
  check(judge_mood("accumulate"), Verdict::wrong, "holds NaN before every call");
}

TEST_CASE("a kernel that never ends is out of time, with its line") {
  JudgeOptions options = quick();
  options.time_limit_s = 1;
  const SolverReport report = judge_mood("endless kernel", test_vector_add(), {}, options);
  check(report, Verdict::out_of_budget, "moods.cu:");
}

TEST_CASE("a kernel that waits for what can never come is trapped, without a time limit's help") {
  JudgeOptions options = quick();
  options.time_limit_s = 600;
  const SolverReport report = judge_mood("waits in vain", test_vector_add(), {}, options);
  check(report, Verdict::trapped, "deadlock: threads wait in a loop for what can never come");
}

TEST_CASE("exit(0) inside solve is trapped") {
  check(judge_mood("exit"), Verdict::trapped, "ended its process (exit code 0) inside solve");
}

TEST_CASE("a solver that checks its calls and exits hears what the emulator saw") {
  check(judge_mood("notices and exits"), Verdict::trapped, "out of bounds: write of 4 bytes");
}

TEST_CASE("a crash of host code is told with its likely reason") {
  check(judge_mood("null pointer"), Verdict::trapped, "a null pointer was dereferenced");
  check(judge_mood("endless recursion"), Verdict::trapped, "does a recursion never end?");
}

TEST_CASE("a call that fails unnoticed is named") {
  check(judge_mood("wrong direction"), Verdict::trapped,
        "cudaMemcpy: cudaErrorInvalidValue: invalid argument");
}

TEST_CASE("arrays that solve freed are said to be its caller's") {
  check(judge_mood("frees an input"), Verdict::trapped, "belong to its caller");
}

TEST_CASE("host code that dereferences a device pointer is trapped and told which") {
  check(judge_mood("host dereference"), Verdict::trapped, "points to device memory");
}

TEST_CASE("an answer kept from an earlier call is wrong") {
  check(judge_mood("cache"), Verdict::wrong, "this is the answer to the call before");
}

TEST_CASE("an overwritten input is wrong and named") {
  check(judge_mood("input overwritten"), Verdict::wrong, "the input was changed: A[0] was");
}

TEST_CASE("results that differ within the bound pass with a note, unless a goal forbids it") {
  const SolverReport report = judge_mood("nondeterministic", loose_add());
  check(report, Verdict::solved, "");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("nondeterministic: 4 of 40 repeats differ") != std::string::npos);
  SolverHeader declared;
  declared.nondeterministic = "a test";
  CHECK(judge_mood("nondeterministic", loose_add(), declared).notes.empty());
  check(judge_mood("nondeterministic", loose_add(),
                   with_goal("differing_repeats", Relation::Operator::equal, 0, "")),
        Verdict::wrong, "differing_repeats is 4, wanted == 0");
}

TEST_CASE("a goal about repeats is not judged where no call was repeated") {
  const SolverHeader header = with_goal("differing_repeats", Relation::Operator::equal, 0, "");
  JudgeOptions by_hand = quick();
  by_hand.cases = {{{{"N", 300}}, Distribution::random}};
  Problem costly = test_vector_add();  // more work than forty calls may be
  costly.sizes = [](Tier) { return test_sizes({1024}); };
  costly.cost = [](const Parameters&) { return Cost{.bytes = 0, .flops = 1e6}; };
  for (const SolverReport& report : {judge_mood("right", test_vector_add(), header, by_hand),
                                     judge_mood("right", costly, header)}) {
    check(report, Verdict::solved, "");
    REQUIRE(report.goals.size() == 1);
    CHECK_FALSE(report.goals[0].judged);
    CHECK(report.goals[0].message == "not judged: the calls were not repeated");
  }
}

TEST_CASE("where the first of the repeats is wrong, the others are not said to be right") {
  // Of 5 elements there is no random case; the repeats make one of it.
  Problem problem = test_vector_add();
  problem.distributions = {Distribution::random, Distribution::constant};
  problem.sizes = [](Tier) { return test_sizes({3, 4, 5}); };
  const auto exact = problem.reference;
  problem.reference = [exact](const Case& tried, const Inputs& inputs) {
    const bool other = tried.distribution == Distribution::random && tried.parameters["N"] == 5;
    return std::vector<Reference>{[one = exact(tried, inputs)[0], other](std::int64_t i) mutable {
      Expected expected = one(i);
      expected.value += other;
      return expected;
    }};
  };
  const SolverReport report = judge_mood("right", problem);
  check(report, Verdict::wrong, "in call 1 of 40 with equal inputs");
  CHECK(report.message.find("were right") == std::string::npos);
}

TEST_CASE("repeats are of the largest size, whatever contents its cases have") {
  Problem problem = loose_add();
  problem.distributions = {Distribution::random, Distribution::constant};  // 1024 has the second
  const SolverReport report = judge_mood("nondeterministic", problem);
  check(report, Verdict::solved, "");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("repeats differ (N = 1024, random)") != std::string::npos);
}

TEST_CASE("a refusal counts outside @limits and is wrong inside them") {
  SolverHeader limited;
  limited.limits = {{"N <= 256", "N", Relation::Operator::less_equal, 256}};
  check(judge_mood("refuse", test_vector_add(), limited), Verdict::solved, "");
  check(judge_mood("refuse"), Verdict::wrong, "it refuses: N must be at most 256");
  // A wrong answer outside the limits is wrong; a right one is fine.
  check(judge_mood("right", test_vector_add(), limited), Verdict::solved, "");
  check(judge_mood("lost tail", test_vector_add(), limited), Verdict::wrong, "wrong answer");
}

TEST_CASE("a failed CUDA_CHECK brings its line; no memory left is out of memory") {
  check(judge_mood("too much memory"), Verdict::out_of_budget, "moods.cu:");
}

TEST_CASE("a launch with too large a block is trapped") {
  check(judge_mood("bad launch"), Verdict::trapped, "2048");
}

TEST_CASE("what host and device print is shown beside the verdict") {
  const SolverReport report = judge_mood("prints");
  check(report, Verdict::wrong, "the solver printed:");
  check(report, Verdict::wrong, "hello from a thread");
  check(report, Verdict::wrong, "hello from solve");
}

TEST_CASE("writing when there is nothing to do is wrong for our own solvers") {
  JudgeOptions options = quick();
  options.own = true;
  const SolverReport report = judge_mood("writes for nothing", test_vector_add(), {}, options);
  CHECK(report.verdict != Verdict::solved);
}

TEST_CASE("what does not compile, has no solve or another signature is not compiled") {
  check(judge_file("does_not_compile.cu", test_vector_add()), Verdict::not_compiled,
        "does_not_compile.cu:4");
  check(judge_file("no_solve.cu", test_vector_add()), Verdict::not_compiled, "solve");
  check(judge_file("wrong_signature.cu", test_vector_add()), Verdict::not_compiled, "float");
}

TEST_CASE("counter goals are judged against numbers and ideals") {
  using Operator = Relation::Operator;
  const SolverReport met = judge_mood(
      "right", test_vector_add(), with_goal("global.load.sectors", Operator::equal, {}, "ideal"));
  check(met, Verdict::solved, "");
  REQUIRE(met.goals.size() == 1);
  CHECK(met.goals[0].met);
  check(judge_mood("right", test_vector_add(), with_goal("launches", Operator::less, 1, "")),
        Verdict::wrong, "launches is 1, wanted < 1 at N=1024");
  CHECK_THROWS_WITH_AS(judge_mood("right", test_vector_add(),
                                  with_goal("global.load.sector", Operator::less, 1, "")),
                       doctest::Contains("did you mean 'global.load.sectors'"), UsageError);
}

TEST_CASE("a time goal without a GPU is not judged") {
  const SolverReport report = judge_mood("right", test_vector_add(),
                                         with_goal("time", Relation::Operator::less, 1, "step_05"));
  check(report, Verdict::solved, "");
  REQUIRE(report.goals.size() == 1);
  CHECK_FALSE(report.goals[0].judged);
}

// The emulator in the place of the GPU: only that solvers are timed there matters.
JudgeOptions on_stand_in() {
  JudgeOptions options = quick();
  options.backends = {Backend::gpu};
  options.time_limit_s = 6;
  options.cudart = test_paths::emulator;
  return options;
}

Problem vector_add_at(int N) {
  Problem problem = test_vector_add();
  problem.sizes = [N](Tier) { return test_sizes({N}); };
  return problem;
}

TEST_CASE("with a GPU a time goal is judged on it") {
  const JudgeOptions options = on_stand_in();
  const Problem problem = vector_add_at(257);
  const SolverHeader header = with_goal("time", Relation::Operator::less, 1e12, "");
  const SolverReport report = judge_mood("right", problem, header, options);
  check(report, Verdict::solved, "");
  REQUIRE(report.goals.size() == 1);
  CHECK(report.goals[0].judged);
  CHECK(report.goals[0].met);
  check(judge_mood("lost tail", problem, {}, options), Verdict::wrong, ", on the GPU");
}

TEST_CASE("a solver that fails at the size of a time goal is wrong, not our fault") {
  const JudgeOptions options = on_stand_in();
  const Problem problem = vector_add_at(256);
  SolverHeader header = with_goal("time", Relation::Operator::less, 1e12, "");
  header.goals[0].at = Parameters{{"N", 257}};
  const SolverReport wrong = judge_mood("lost tail", problem, header, options);
  check(wrong, Verdict::wrong, "wrong answer: vector_add, N = 257");
  CHECK(wrong.message.find("C[256]") != std::string::npos);
  REQUIRE(wrong.goals.size() == 1);
  CHECK_FALSE(wrong.goals[0].met);
  header.goals[0] = with_goal("launches", Relation::Operator::less, 9, "").goals[0];
  header.goals[0].at = Parameters{{"N", 257}};
  check(judge_mood("trapped beyond a block", problem, header), Verdict::trapped,
        "trapped: vector_add, N=257");
}

TEST_CASE("the same runtime on both sides of a comparison gives the same bits") {
  JudgeOptions options = quick();
  options.cudart = test_paths::emulator;
  const Parity parity =
      compare_backends({test_paths::source, test_paths::build}, Toolkit::require(),
                       std::filesystem::path(test_paths::fixtures) / "plain.cu", test_vector_add(),
                       {{"N", 1000}}, 5, options);
  CHECK(parity.verdict == Verdict::solved);
  REQUIRE(parity.outputs.size() == 1);
  CHECK(parity.outputs[0].elements == 1000);
  CHECK(parity.outputs[0].differing == 0);
}

TEST_CASE("a solver with the runtime inside it is refused with the flag to use") {
  const TemporaryFolder folder;
  const std::string object = (folder.path() / "static.so").string();
  const ProcessResult built =
      run_process({Toolkit::require().nvcc.string(), "-shared", "-cudart", "static", "-Xcompiler",
                   "-fPIC", "-o", object, std::string(test_paths::fixtures) + "/plain.cu"});
  REQUIRE(built.exit_code == 0);
  const Tree tree{test_paths::source, test_paths::build};
  const Problem problem = test_vector_add();
  SolverRun run(problem, object,
                worker_options(tree, Toolkit::require(), Backend::emulator, quick()));
  CHECK(run.start().verdict == Verdict::not_compiled);
  CHECK(run.start().message.find("-cudart shared") != std::string::npos);
}

TEST_CASE("a solver that needs other hardware is skipped with the reason") {
  SolverHeader header;
  header.needs.architecture = 100;
  check(judge_mood("right", test_vector_add(), header), Verdict::skipped, "needs sm_100");
  header = {};
  header.needs.shared_bytes = 300 << 10;
  check(judge_mood("right", test_vector_add(), header), Verdict::skipped, "shared memory");
}

Profile profile_text(const std::filesystem::path& file, const SolverHeader& header) {
  return profile_solver({test_paths::source, test_paths::build}, Toolkit::require(), file,
                        test_vector_add(), header, {{{"N", 300}}, Distribution::random}, quick());
}

TEST_CASE("a profile skips what check skips, and builds what check builds") {
  const std::filesystem::path plain = std::filesystem::path(test_paths::fixtures) / "plain.cu";
  SolverHeader library;
  library.links = {"cublas"};
  CHECK(profile_text(plain, library).verdict == Verdict::skipped);
  CHECK(profile_text(plain, library).message.find("cublas") != std::string::npos);
  SolverHeader other;
  other.needs.architecture = 100;
  CHECK(profile_text(plain, other).verdict == Verdict::skipped);
  // A stranger's file may use all that the emulated GPU has.
  const TemporaryFolder folder;
  const std::filesystem::path file =
      folder.write("mine.cu",
                   "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n#error too old\n#endif\n"
                   "__global__ void add(const float* A, const float* B, float* C, int N) {\n"
                   "  for (int i = 0; i < N; ++i) C[i] = A[i] + B[i];\n}\n"
                   "extern \"C\" void solve(const float* A, const float* B, float* C, int N) {\n"
                   "  add<<<1, 1>>>(A, B, C, N);\n}\n");
  const Profile profile = profile_text(file, {});
  CHECK_MESSAGE(profile.verdict == Verdict::solved, profile.message);
  CHECK(profile.launches.size() == 1);
  JudgeOptions options = quick();
  options.cases = {{{{"N", 300}}, Distribution::random}};
  check(judge_solver({test_paths::source, test_paths::build}, Toolkit::require(), file,
                     test_vector_add(), {}, options),
        Verdict::solved, "");
}

TEST_CASE("a case asked for by hand is the only one tried") {
  JudgeOptions options = quick();
  options.cases = {{{{"N", 300}}, Distribution::random}};
  const SolverReport report = judge_mood("right", test_vector_add(), {}, options);
  check(report, Verdict::solved, "");
  REQUIRE(report.cases.size() == 1);
  CHECK(report.cases[0].tried.parameters == Parameters{{"N", 300}});
}

TEST_CASE("with keep_going every case is tried") {
  JudgeOptions options = quick();
  options.keep_going = true;
  const SolverReport report = judge_mood("lost tail", test_vector_add(), {}, options);
  CHECK(report.verdict == Verdict::wrong);
  int right = 0;
  for (const CaseReport& one : report.cases) right += one.verdict == Verdict::solved;
  CHECK(right >= 3);
}

}  // namespace
}  // namespace ladder
