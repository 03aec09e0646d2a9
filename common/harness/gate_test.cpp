#include "common/harness/gate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "common/harness/exercise.hpp"
#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"

using namespace ladder;

namespace fs = std::filesystem;

namespace {

const char* const step_01 =
    "//! # Step 01: one thread {#x_step_01}\n"
    "//! @new kernels\n"
    "//!\n"
    "//! **Idea.** One thread does it all.\n"
    "int a;\n";
const char* const step_02 =
    "//! # Step 02: more threads {#x_step_02}\n"
    "//! @builds-on step_01_one\n"
    "//! @new blocks\n"
    "//!\n"
    "//! **Idea.** Many do it.\n"
    "int a;\nint b;\n";
const char* const solution =
    "//! # Exercise 1: a hole {#x_ex_01}\n"
    "//! @builds-on step_02_more\n"
    "//! @solution\n"
    "//!\n"
    "//! Because.\n"
    "// [hole body: 1 line] Say seven.\n"
    "int seven = 7;\n"
    "// [/hole]\n";
const char* const mutant =
    "//! # Mutant: the tail is lost\n"
    "//! @builds-on step_01_one\n"
    "//! @fails wrong at N=257 passes N=256\n"
    "int a;\n";
const char* const sheet = "# A hole\n\nFill it.\n\n## Hint 1\nA\n## Hint 2\nB\n## Hint 3\nC\n";

// A small course without faults, in a folder of its own; each test plants one.
struct Course {
  TemporaryFolder folder;
  Tree tree{folder.path(), folder.path() / "build"};
  ProblemRegistry problems;

  Course() {
    Problem problem;
    problem.name = "vector_add";
    problem.chapter = "01_x";
    problems.add(problem);
    list(
        "step 01_x step_01_one\nstep 01_x step_02_more\nexercise 01_x ex_01_hole\n"
        "solution 01_x ex_01_hole\nmutant 01_x mutant_tail\n");
    put("meson.build", "steps += {'name': 'step_01_one'}\nsteps += {'name': 'step_02_more'}\n");
    put("chapter.cpp", "int chapter;\n");
    put("intro.md", "# Introduction\n\nSee [step 1](step_01_one.cu) and [more](https://x.org).\n");
    put("step_01_one.cu", step_01);
    put("step_02_more.cu", step_02);
    put("solutions/ex_01_hole.cu", solution);
    put("exercises/ex_01_hole.cu", generate_stub(solution, "s.cu"));
    put("exercises/ex_01_hole.md", sheet);
    put("mutants/mutant_tail.cu", mutant);
    put("results/h200.json", "{\"version\": 1}\n");
  }
  void list(const std::string& solvers) const { folder.write("build/solvers.txt", solvers); }
  void put(const std::string& name, const std::string& text) const {
    folder.write("chapters/01_x/" + name, text);
  }
  GateReport run() const {
    GateOptions options;
    options.behaviour = false;
    return run_gate(tree, Catalog(tree), Toolkit{}, problems, options);
  }
  // Those about formatting, or all others: a fault planted in a text may also unformat it.
  std::vector<std::string> findings(bool about_formatting = false) const {
    std::vector<std::string> texts;
    for (const GateFinding& finding : run().findings) {
      const bool formatting = finding.message.find("formatted") != std::string::npos;
      if (formatting == about_formatting) texts.push_back(finding.text());
    }
    return texts;
  }
};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

// The course's one finding is `text` (its beginning).
void check_only(const Course& course, const std::string& text) {
  const auto findings = course.findings();
  CAPTURE(text);
  for (const std::string& finding : findings) CHECK_MESSAGE(finding.rfind(text, 0) == 0, finding);
  CHECK(findings.size() == 1);
}

}  // namespace

TEST_CASE("a course without faults passes the gate, and much was looked at") {
  const Course course;
  const GateReport report = course.run();
  for (const GateFinding& finding : report.findings) CHECK_MESSAGE(false, finding.text());
  CHECK(report.checks > 40);
}

TEST_CASE("the gate names a fault in a header by file and line") {
  const struct {
    const char* file;
    const char* text;
    const char* part;
    const char* by;
    const char* finding;
  } table[] = {
      {"step_02_more.cu", step_02, "# Step 02: more threads {#x_step_02}", "more",
       "chapters/01_x/step_02_more.cu:1: the header has no title"},
      {"step_02_more.cu", step_02, "{#x_step_02}", "{#x_step_01}",
       "chapters/01_x/step_02_more.cu:1: the anchor 'x_step_01' is taken by step_01_one"},
      {"step_02_more.cu", step_02, " {#x_step_02}", "",
       "chapters/01_x/step_02_more.cu:1: the title lacks its anchor"},
      {"step_02_more.cu", step_02, "Step 02", "Step 03",
       "chapters/01_x/step_02_more.cu:1: the title 'Step 03: more threads' has another number"},
      {"step_02_more.cu", step_02, "@new blocks", "",
       "chapters/01_x/step_02_more.cu:1: a step says what is new"},
      {"step_02_more.cu", step_02, "@builds-on step_01_one", "",
       "chapters/01_x/step_02_more.cu:1: a step names its parent"},
      {"step_02_more.cu", step_02, "step_01_one", "step_01_won",
       "chapters/01_x/step_02_more.cu:1: the parent 'step_01_won' does not exist; did you mean "
       "'step_01_one'?"},
      {"step_02_more.cu", step_02, "@new", "@problem vector_ad\n//! @new",
       "chapters/01_x/step_02_more.cu:1: no problem is named 'vector_ad'; did you mean "
       "'vector_add'?"},
      {"step_02_more.cu", step_02, "@new", "@fails wrong\n//! @new",
       "chapters/01_x/step_02_more.cu:1: only a mutant has '@fails'"},
      {"step_02_more.cu", step_02, "int b;", "// [hole x: 1 line] Do.",
       "chapters/01_x/step_02_more.cu:7: a hole belongs into a solution"},
      {"mutants/mutant_tail.cu", mutant, "@fails wrong at N=257 passes N=256", "",
       "chapters/01_x/mutants/mutant_tail.cu:1: a mutant says how it fails"},
  };
  for (const auto& row : table) {
    const Course course;
    course.put(row.file, replaced(row.text, row.part, row.by));
    // Without a title there is no idea and no anchor either.
    if (std::string(row.by) == "more") {
      CHECK(course.findings()[0].rfind(row.finding, 0) == 0);
    } else {
      check_only(course, row.finding);
    }
  }
}

TEST_CASE("a header that cannot be read is a finding at its line") {
  const Course course;
  course.put("step_02_more.cu", replaced(step_02, "@new", "@mew"));
  const auto findings = course.findings();
  REQUIRE_FALSE(findings.empty());
  // The exercise whose parent it is has lost it.
  const std::string wanted =
      "chapters/01_x/step_02_more.cu:3: unknown key @mew; did you mean 'new'?";
  CHECK(std::count(findings.begin(), findings.end(), wanted) == 1);
}

TEST_CASE("a step over its budget of lines is a finding, unless it rewrites") {
  std::string many;
  for (int i = 0; i < 61; ++i) many += "int more_" + std::to_string(i) + ";\n";
  const Course course;
  course.put("step_02_more.cu", step_02 + many);
  check_only(course, "chapters/01_x/step_02_more.cu:1: 62 lines differ from step_01_one");
  course.put("step_02_more.cu", replaced(step_02, "@builds-on", "@rewrites") + many);
  CHECK(course.findings().empty());
  course.put("step_01_one.cu", step_01 + std::string(200, '\n'));
  check_only(course, "chapters/01_x/step_01_one.cu:1: 205 lines, more than 200");
}

TEST_CASE("changed lines are counted like a diff's, prose and blanks aside") {
  CHECK(changed_lines("//! a\nx\ny\n", "//! b\nx\n\n  y\n") == 0);
  CHECK(changed_lines("a\nb\nc\n", "a\nB\nc\nd\n") == 2);
  CHECK(changed_lines("a\nb\nc\n", "c\n") == 2);
  CHECK(changed_lines("", "a\n") == 1);
}

TEST_CASE("a stub that is not the generated one, and a sheet without hints, are findings") {
  Course course;
  course.put("exercises/ex_01_hole.cu",
             replaced(generate_stub(solution, "s.cu"), "// [/hole]", "int eight;\n// [/hole]"));
  check_only(course,
             "chapters/01_x/exercises/ex_01_hole.cu:4: differs from the stub that its solution");
  course.put("exercises/ex_01_hole.cu", generate_stub(solution, "s.cu"));
  course.put("exercises/ex_01_hole.md", replaced(sheet, "## Hint 3\nC\n", ""));
  check_only(course, "chapters/01_x/exercises/ex_01_hole.md:8: the sheet has 2 hints");
}

TEST_CASE("files and lists that disagree are findings") {
  const Course course;
  course.put("mutants/mutant_tail.cu.orig", "");
  check_only(course, "chapters/01_x/mutants/mutant_tail.cu.orig: a stray file");
  fs::remove(course.tree.source / "chapters/01_x/mutants/mutant_tail.cu.orig");
  course.put("step_03_new.cu", "");
  check_only(course, "chapters/01_x/step_03_new.cu: a stray file");
  fs::remove(course.tree.source / "chapters/01_x/step_03_new.cu");
  fs::remove(course.tree.source / "chapters/01_x/exercises/ex_01_hole.md");
  check_only(course, "chapters/01_x/meson.build: lists ex_01_hole, but chapters/01_x/exercises/");
}

TEST_CASE("leftovers, dead links, bad results and bad formatting are findings") {
  const Course course;
  course.put("chapter.cpp", std::string("int chapter;  // TO") + "DO: more\n");
  check_only(course, "chapters/01_x/chapter.cpp:1: 'TO");
  course.put("chapter.cpp", "int chapter;\n");
  course.put("intro.md", "# I\n\n[gone](step_09_gone.cu)\n");
  check_only(course, "chapters/01_x/intro.md:3: the link to 'step_09_gone.cu' leads nowhere");
  course.put("intro.md", "# I\n");
  course.put("results/h200.json", "{\"version\": \n");
  check_only(course, "chapters/01_x/results/h200.json: this is not JSON");
  course.put("results/h200.json", "{}\n");
  CHECK(course.findings(true).empty());
  course.put("chapter.cpp", "int   chapter  ;\n");
  if (!course.run().skipped.empty()) return;  // no clang-format here
  REQUIRE(course.findings(true).size() == 1);
  CHECK(course.findings(true)[0].rfind("chapters/01_x/chapter.cpp:1: is not formatted", 0) == 0);
}
