// End to end: the gate on solvers that do not do what their headers say, on the emulator.
#include <doctest/doctest.h>

#include <algorithm>

#include "common/harness/files.hpp"
#include "common/harness/gate.hpp"
#include "common/harness/test_paths.hpp"
#include "common/harness/test_problems.hpp"

namespace ladder {
namespace {

namespace fs = std::filesystem;

std::string solver(const std::string& header, const std::string& body) {
  return header +
         "__global__ void add(const float* A, const float* B, float* C, int N) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body +
         "}\n"
         "extern \"C\" void solve(const float* A, const float* B, float* C, int N) {\n"
         "  if (N > 0) add<<<(N + 255) / 256, 256>>>(A, B, C, N);\n"
         "}\n";
}

const char* const right = "  if (i < N) C[i] = A[i] + B[i];\n";
const char* const lost = "  if (i < N / 256 * 256) C[i] = A[i] + B[i];\n";
const char* const no_guard = "  C[i] = A[i] + B[i];\n";

// A course in a folder of its own, run on the real worker and emulator.
struct Course {
  TemporaryFolder folder;
  Tree tree{folder.path(), folder.path() / "build"};
  ProblemRegistry problems;
  std::string list;

  Course() {
    Problem problem = test_vector_add();
    problem.chapter = "01_x";
    problems.add(problem);
    fs::create_directories(tree.build);
    fs::create_directory_symlink(fs::path(test_paths::build) / "common", tree.build / "common");
  }
  void add(const std::string& kind, const std::string& name, const std::string& text) {
    const std::string part = kind == "solution" ? "solutions/" : kind == "mutant" ? "mutants/" : "";
    folder.write("chapters/01_x/" + part + name + ".cu", text);
    list += kind + " 01_x " + name + "\n";
  }
  std::vector<std::string> findings() const {
    folder.write("build/solvers.txt", list);
    static const Toolkit toolkit = Toolkit::require();
    GateOptions options;
    options.files = false;
    std::vector<std::string> texts;
    for (const GateFinding& finding :
         run_gate(tree, Catalog(tree), toolkit, problems, options).findings) {
      texts.push_back(finding.text());
    }
    return texts;
  }
};

// The course's one finding contains `text`.
void check_only(const Course& course, const std::string& text) {
  const auto findings = course.findings();
  CHECK(findings.size() == 1);
  for (const std::string& finding : findings) {
    CHECK_MESSAGE(finding.find(text) != std::string::npos, finding);
  }
}

std::string exercise(const std::string& header, const std::string& stub, const std::string& hole) {
  return solver(header, "  // [hole body: 1 line] Add.\n" + stub + hole + "  // [/hole]\n");
}

TEST_CASE("solvers that do what they declare pass") {
  Course course;
  course.add("step", "step_01_a",
             solver("//! # Step 01: a\n//! @claim launches == 1 at N=512\n", right));
  course.add("mutant", "mutant_lost",
             solver("//! # Lost\n//! @fails wrong at N=257 passes N=256\n", lost));
  course.add("mutant", "mutant_unguarded",
             solver("//! # Unguarded\n//! @fails trap at N=257 passes N=256\n", no_guard));
  course.add("solution", "ex_01_wrong", exercise("//! # Exercise 1\n//! @solution\n", "", right));
  course.add("solution", "ex_02_trap",
             exercise("//! # Exercise 2\n//! @stub-fails trap\n//! @solution\n",
                      "  // [stub] C[i] = A[i] + B[i];\n", right));
  course.add("solution", "ex_03_goal",
             exercise("//! # Exercise 3\n//! @stub-fails goal\n"
                      "//! @goal global.load.requests == 32 at N=512\n//! @solution\n",
                      "  // [stub] if (i < N) C[i] = ((volatile const float*)A)[i] +\n"
                      "  // [stub]   0 * ((volatile const float*)A)[i] + B[i];\n",
                      right));
  for (const std::string& finding : course.findings()) CHECK_MESSAGE(false, finding);
}

TEST_CASE("a wrong step and a claim that does not hold are findings") {
  Course wrong;
  wrong.add("step", "step_01_a", solver("//! # Step 01: a\n", lost));
  check_only(wrong, "step_01_a.cu:1: 01.01 is not right: wrong answer");
  Course claims;
  claims.add("step", "step_01_a",
             solver("//! # Step 01: a\n//! @claim launches == 2 at N=512\n", right));
  const auto findings = claims.findings();
  CHECK(std::any_of(findings.begin(), findings.end(), [](const std::string& finding) {
    return finding.find("step_01_a.cu:2: 'launches == 2 at N=512' does not hold") !=
           std::string::npos;
  }));
}

TEST_CASE("a mutant that passes, fails elsewhere, or fails in another way is a finding") {
  const struct {
    const char* fails;
    const char* body;
    const char* finding;
  } table[] = {
      {"wrong at N=257 passes N=256", right,
       "mutant_m.cu:2: 01.mutant_m is declared to fail (wrong) at N=257, but: solved"},
      {"wrong at N=257 passes N=255", lost, "01.mutant_m is declared to pass at N=255, but: wrong"},
      {"wrong at N=257", no_guard, "is declared to fail (wrong) at N=257, but: trapped"},
      {"trap at N=257", lost, "is declared to fail (trap) at N=257, but: wrong answer"},
      {"wrong", right, "01.mutant_m is declared to fail (wrong), but: solved"},
  };
  for (const auto& row : table) {
    CAPTURE(row.fails);
    Course course;
    course.add("mutant", "mutant_m",
               solver(std::string("//! # M\n//! @fails ") + row.fails + "\n", row.body));
    check_only(course, row.finding);
  }
}

TEST_CASE("a stub that solves, does not compile or misses no goal is a finding") {
  Course solves;
  solves.add("solution", "ex_01_a",
             exercise("//! # Exercise 1\n//! @solution\n",
                      "  // [stub] if (i < N) C[i] = A[i] + B[i];\n", right));
  check_only(solves, "the stub of 01.ex1 is declared to fail (wrong), but: solved");
  Course broken;
  broken.add("solution", "ex_01_a",
             exercise("//! # Exercise 1\n//! @solution\n", "  // [stub] C[i] = ;\n", right));
  check_only(broken, "the stub of 01.ex1 is declared to fail (wrong), but: does not compile");
  Course met;
  met.add("solution", "ex_01_a",
          exercise("//! # Exercise 1\n//! @stub-fails goal\n//! @goal launches == 1 at N=512\n"
                   "//! @solution\n",
                   "  // [stub] if (i < N) C[i] = A[i] + B[i];\n", right));
  check_only(met, "the stub of 01.ex1 is declared to miss a goal, but: solved");
}

}  // namespace
}  // namespace ladder
