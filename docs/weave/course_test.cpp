// A small course in a temporary folder: what its pages show comes from its files, and what is wrong
// in them stops with file and line.
#include <doctest/doctest.h>

#include "common/harness/files.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/course.hpp"
#include "docs/weave/pages.hpp"

using namespace ladder;
using namespace ladder::weave;

namespace {

constexpr const char* results = R"({"schema": "kernel-ladder/1",
 "device": {"name": "NVIDIA H200", "driver": "1", "toolkit": "13.0", "date": "2026-01-02T0", "commit": "abc"},
 "entries": [
  {"id": "01_vector_add.step_01_a", "timings": [{"at": {"N": 4096}, "median_us": 40.0,
   "interval_us": [39, 41], "samples": 9, "gb_s": 10, "gflop_s": 1, "ceilings": [
   {"name": "CUB", "ratio": 0.25, "ratio_interval": [0.24, 0.26]},
   {"name": "copy", "ratio": 0.2, "ratio_interval": [0.19, 0.21]}]}]},
  {"id": "01_vector_add.step_02_b", "timings": [{"at": {"N": 4096}, "median_us": RIVAL,
   "interval_us": [RIVAL, RIVAL], "samples": 9, "gb_s": 20, "gflop_s": 2, "ceilings": [
   {"name": "CUB", "ratio": 0.5, "ratio_interval": [0.4, 0.6]},
   {"name": "copy", "ratio": 0.4, "ratio_interval": [0.3, 0.5]}]}]}
 ]})";

constexpr const char* counters = R"({"entries": [
 {"id": "01_vector_add.step_02_b", "verdict": "solved", "counted_at": {"N": 70001},
  "counters": {"global.load.sectors": 1234, "global.load.sectors.ideal": 1000, "launches": 0,
   "lanes_per_instruction": 31.25}}]})";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// Two steps, an exercise, an introduction; each file can be written again before read().
class SmallCourse {
 public:
  SmallCourse() {
    folder_.write("meson.build", "");
    folder_.write("build/solvers.txt",
                  "step 01_vector_add step_01_a\nstep 01_vector_add step_02_b\n"
                  "exercise 01_vector_add ex_01_c\nsolution 01_vector_add ex_01_c\n"
                  "mutant 01_vector_add mutant_d\n");
    write("intro.md",
          "# Adding {#vector_add}\n\nWhy.\n\n## Possibilities for extensions\n\nMore.\n");
    write("step_01_a.cu",
          "//! # Step 01: the loop {#add_01}\n//! @new loop\n//! **Idea.** Loop.\nint a;\n");
    write("step_02_b.cu",
          "//! # Step 02: the block {#add_02}\n//! @builds-on step_01_a\n//! @new __shared__\n"
          "//! @claim launches == 1 at N=4096\n"
          "//! @claim global.load.sectors <= 8 x ideal at N=4096\n//! **Idea.** Share.\nint "
          "a;\nint b;\n");
    write("mutants/mutant_d.cu",
          "//! # Mutant: no `d`\n//! @builds-on step_01_a\n//! @fails wrong at N=3 passes N=2\n//! "
          "D.\nint "
          "a;\n");
    write("solutions/ex_01_c.cu",
          "//! # Exercise 1: try {#add_ex_01}\n//! @builds-on step_02_b\n"
          "//! @goal launches == 1 at N=4096\n//! @solution\n//! THE ANSWER\n"
          "// [hole body: ~1 line] Fill it.\nint answer;\n// [/hole]\n");
    write("exercises/ex_01_c.md",
          "# Try\n\nDo it.\n\n## Hint 1\n\nfirst\n\n## Hint 2\n\nsecond\n\n## Hint 3\n\nthird\n");
    folder_.write("docs/features.txt", "## Control\nloop\n\n## Memory\n__shared__\n");
    write("results/h200.json", replaced(results, "RIVAL", "20.0"));
    folder_.write("build/docs/01_vector_add.json", counters);
  }

  void write(const std::string& file, const std::string& text) {
    folder_.write("chapters/01_vector_add/" + file, text);
  }

  Course read(const Words& words = {}) const {
    Tree tree;
    tree.source = folder_.path();
    tree.build = folder_.path() / "build";
    return read_course(tree, Catalog(tree), problems(), tree.build / "docs",
                       std::make_shared<Words>(words));
  }

 private:
  TemporaryFolder folder_;
};

bool has(const Page& page, const std::string& text) {
  return page.text().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a step's page shows its parent, its change, its claims, its times and its counters") {
  const SmallCourse files;
  const Course course = files.read();
  const Chapter& chapter = course.chapters.at(0);
  const Page page = step_page(chapter, chapter.steps.at(1));
  CHECK(page.name() == "add_02");
  CHECK(has(page, "<a href=\"add_01.html\">Step 01: the loop</a>"));
  CHECK(has(page, "+1</span> <span class=\"kl-removed\">−0"));
  CHECK(has(page, "<code>launches == 1 at N=4096</code>"));
  CHECK(has(page, "20.0\u00a0µs"));
  CHECK(has(page, "50.0\u00a0% of CUB<br>40.0\u00a0% of copy"));
  CHECK(has(page, "2.00 × as fast"));
  CHECK(has(page, "1\u202f234"));
  CHECK(has(page, "31.25"));
  CHECK_FALSE(has(page, "<code>launches</code>"));  // 0 in both says nothing
  CHECK(has(page, "features.html#feature___shared__"));
  CHECK(has(page, "id=\"L8\""));
}

TEST_CASE("every number of a page comes from a file: a changed result changes the pages") {
  SmallCourse files;
  files.write("results/h200.json", replaced(results, "RIVAL", "31.4"));
  const Course course = files.read();
  const Chapter& chapter = course.chapters.at(0);
  const Page step = step_page(chapter, chapter.steps.at(1));
  CHECK(has(step, "31.4\u00a0µs"));
  CHECK(has(step, "1.27 × as fast"));
  const Page page = chapter_page(course, chapter);
  CHECK(has(page, "31.4\u00a0µs"));
  CHECK(has(page, "1.27 times as fast as its parent"));
}

TEST_CASE("a small gain is said as time saved, and none over a step of another problem") {
  SmallCourse files;
  files.write("results/h200.json", replaced(results, "RIVAL", "38.0"));
  Course course = files.read();
  CHECK(has(chapter_page(course, course.chapters.at(0)),
            "38.0\u00a0µs, 5.0\u00a0% less than its parent"));
  CHECK(has(step_page(course.chapters.at(0), course.chapters.at(0).steps.at(1)),
            "against its parent"));
  course.chapters.at(0).steps.at(1).header.problem = "relu";
  CHECK_FALSE(has(chapter_page(course, course.chapters.at(0)), "than its parent"));
  const Page step = step_page(course.chapters.at(0), course.chapters.at(0).steps.at(1));
  CHECK_FALSE(has(step, "against its parent"));
}

TEST_CASE("a problem without arithmetic has no column for it") {
  SmallCourse files;
  const auto columns = [&] {
    const Course course = files.read();
    return has(step_page(course.chapters.at(0), course.chapters.at(0).steps.at(1)), "GFLOP/s");
  };
  CHECK(columns());
  files.write("results/h200.json",
              replaced(replaced(results, "RIVAL", "20.0"), "\"gflop_s\": 2", "\"gflop_s\": 0"));
  CHECK_FALSE(columns());
}

TEST_CASE("the index of features has them by kind, with the chapter, and code as code") {
  const SmallCourse files;
  const Page page = feature_page(files.read());
  const std::size_t control = page.text().find("## Control {#features_control}"),
                    loop = page.text().find("<span id=\"feature_loop\">loop</span>"),
                    memory = page.text().find("## Memory {#features_memory}"),
                    shared = page.text().find("<code>__shared__</code>");
  REQUIRE(shared != std::string::npos);
  CHECK(control < loop);
  CHECK(loop < memory);
  CHECK(memory < shared);
  CHECK(has(page, "01 · <a href=\"add_02.html\">Step 02: the block</a>"));
}

TEST_CASE("a feature of no kind stops with the line of its @new") {
  SmallCourse files;
  files.write("step_02_b.cu",
              "//! # Step 02: b {#add_02}\n//! @builds-on step_01_a\n//! @new loop, gadget\n"
              "//! I.\nint a;\n");
  CHECK_THROWS_WITH_AS(
      files.read(),
      "chapters/01_vector_add/step_02_b.cu:3: 'gadget' is of no kind: add it to docs/features.txt",
      UsageError);
  CHECK_THROWS_WITH_AS(parse_feature_kinds("## A\nx\n## B\nx\n", "f.txt"),
                       doctest::Contains("f.txt:4: "), UsageError);
  CHECK_THROWS_WITH_AS(parse_feature_kinds("x\n", "f.txt"), doctest::Contains("f.txt:1: "),
                       UsageError);
}

TEST_CASE("counters as in the parent are folded away") {
  SmallCourse files;
  const Course course = files.read();
  Chapter chapter = course.chapters.at(0);
  chapter.counters["01_vector_add.step_01_a"] = {
      "solved", {{"N", 70001}}, {{"lanes_per_instruction", 31.25}, {"global.load.sectors", 99}}};
  const Page page = step_page(chapter, chapter.steps.at(1));
  const std::size_t fold = page.text().find("<summary>1 counters as in its parent</summary>");
  REQUIRE(fold != std::string::npos);
  CHECK(page.text().find("1\u202f234") < fold);
  CHECK(page.text().find("31.25") > fold);
}

TEST_CASE("a chapter's page says which step is slower than its parent, and links all of them") {
  SmallCourse files;
  files.write("results/h200.json", replaced(results, "RIVAL", "50.0"));
  const Course course = files.read();
  const Page page = chapter_page(course, course.chapters.at(0));
  CHECK(has(page, "<strong>slower than its parent</strong> by 25.0\u00a0%"));
  CHECK(has(page, "<a href=\"add_01.html\">"));
  CHECK(has(page, "<a href=\"add_ex_01.html\">Exercise 1: try</a>"));
  CHECK(has(page, "kl-ceiling"));
  // Every claim is said in words, beside what asserts it; wrong solvers assert the rest.
  CHECK(has(page, "launches: 1"));
  CHECK(has(page, "sectors read from global memory: at most 8 × the fewest that the bytes allow"));
  CHECK(has(page, "<code>global.load.sectors &lt;= 8 x ideal at N=4096</code>"));
  CHECK(has(page, "no <code>d</code>"));
  CHECK(has(page, "written from <a href=\"add_01.html\">Step 01: the loop</a>"));
  CHECK(has(page, "gives a wrong answer at N\u00a0=\u00a03, but is right at N\u00a0=\u00a02"));
  REQUIRE(page.text().find("More.") != std::string::npos);
  CHECK(page.text().find("More.") > page.text().find("What the measurements say"));
}

TEST_CASE("an exercise's page has stub, goals and folded hints, but no way to the solution") {
  const SmallCourse files;
  const Course course = files.read();
  const Chapter& chapter = course.chapters.at(0);
  const Page page = exercise_page(chapter, chapter.exercises.at(0), nullptr);
  CHECK(has(page, "Do it."));
  CHECK(has(page, "<code>launches == 1 at N=4096</code>"));
  CHECK(has(page, "<summary>Hint 3</summary>"));
  CHECK(has(page, "third"));
  CHECK_FALSE(has(page, "int answer"));
  CHECK_FALSE(has(page, "THE ANSWER"));
  CHECK_FALSE(has(page, "_solution"));
  const Page solution = solution_page(chapter, chapter.exercises.at(0));
  CHECK(has(solution, "THE ANSWER"));
  CHECK(solution.search().empty());
  for (const Page& other : {chapter_page(course, chapter), feature_page(course)}) {
    CHECK_FALSE(has(other, "_solution"));
  }
}

TEST_CASE("another edition says what is translated in its language, and which page is not") {
  SmallCourse files;
  const auto said = [](const std::string& english, const std::string& text) {
    return "<!-- " + Paragraph{"", 0, english}.hash() + " -->\n" + text + "\n\n";
  };
  files.write("zh/step_02_b.md",
              said("# Step 02: the block {#add_02}", "# 第 02 步：块 {#add_02}") +
                  said("**Idea.** Share.", "**想法。**共享。"));
  files.write("zh/ex_01_c.md", said("Do it.", "做吧。") + said("second", "第二"));
  const Words words("zh", "Builds on = 前一步\nHint {} = 提示 {}\n", "words.txt");
  const Course course = files.read(words);
  const Chapter& chapter = course.chapters.at(0);
  const Page step = step_page(chapter, chapter.steps.at(1));
  CHECK(step.name() == "add_02");
  CHECK(step.title() == "第 02 步：块");
  CHECK(has(step, "<dt>前一步</dt><dd><a href=\"add_01.html\">Step 01: the loop</a>"));
  CHECK(has(step, "<strong>想法。</strong>共享。"));
  CHECK_FALSE(has(step, "Share."));
  CHECK_FALSE(has(step, "not translated"));
  CHECK(has(step_page(chapter, chapter.steps.at(0)), "This page is not translated yet."));
  CHECK(has(chapter_page(course, chapter), "第 02 步：块"));
  const Page exercise = exercise_page(chapter, chapter.exercises.at(0), nullptr);
  CHECK(has(exercise, "做吧。"));
  CHECK(has(exercise, "<summary>提示 2</summary>"));
  CHECK(has(exercise, "第二"));
  CHECK(has(exercise, "first"));  // not translated
}

TEST_CASE("headers that are not as they should be stop with file and line") {
  SmallCourse files;
  const auto stops_with = [&](const std::string& message) {
    CAPTURE(message);
    CHECK_THROWS_WITH_AS(files.read(), doctest::Contains(message.c_str()), UsageError);
  };
  const std::string step = "chapters/01_vector_add/step_02_b.cu";
  files.write("step_02_b.cu", "//! # Step 02: b {#add_02}\n//! @new x\n//! Idea.\nint a;\n");
  stops_with(step + ":1: a step names its parent");
  files.write("step_02_b.cu",
              "//! # Step 02: b {#add_02}\n//! @new x\n//! @builds-on step_01_q\n//! I.\nint a;\n");
  stops_with("the parent 'step_01_q' does not exist");
  files.write("step_02_b.cu",
              "//! # Step 02: b {#add_02}\n//! @new x\n//! @bulids-on step_01_a\n//! I.\nint a;\n");
  stops_with(step + ":3: unknown key @bulids-on");
}

TEST_CASE("an introduction without title or extensions stops with file and line") {
  CHECK_THROWS_WITH_AS(parse_introduction("Adding\n", "intro.md"),
                       doctest::Contains("intro.md:1: "), UsageError);
  CHECK_THROWS_WITH_AS(parse_introduction("# Adding {#add}\n\nWhy.\n", "intro.md"),
                       doctest::Contains("Possibilities for extensions"), UsageError);
}

TEST_CASE("results that are not of the schema stop with the file's name") {
  SmallCourse files;
  files.write("results/h200.json", "{\"entries\": []}");
  CHECK_THROWS_WITH_AS(files.read(), doctest::Contains("results/h200.json"), UsageError);
  files.write("results/h200.json", "{");
  CHECK_THROWS_WITH_AS(files.read(), doctest::Contains("h200.json"), UsageError);
}
