// `ladder dev translations` on a small course: what it tells of fresh, missing and old paragraphs,
// and with which exit code. $LADDER names the binary.
#include <doctest/doctest.h>

#include <cstdlib>

#include "common/cli/process.hpp"
#include "common/harness/files.hpp"
#include "common/harness/translation.hpp"

using ladder::Paragraph;
using ladder::TemporaryFolder;
using ladder::cli::Finished;

namespace {

constexpr const char* step = "chapters/01_vector_add/step_01_a.cu";
constexpr const char* step_zh = "chapters/01_vector_add/zh/step_01_a.md";

std::string entry(const std::string& english, const std::string& text) {
  return "<!-- " + Paragraph{"", 0, english}.hash() + " -->\n" + text + "\n\n";
}

// One page and one step, both translated.
class SmallCourse {
 public:
  SmallCourse() {
    const char* binary = std::getenv("LADDER");
    REQUIRE(binary);
    write("meson.build", "");
    write("build/solvers.txt", "step 01_vector_add step_01_a\n");
    write("docs/pages/contents.txt", "index\n");
    write("docs/pages/index.md", "# Welcome {#index}\n\nRead it.\n\n@include README.md ## Use\n");
    write("docs/pages/zh/index.md",
          entry("# Welcome {#index}", "# 欢迎 {#index}") + entry("Read it.", "读一读。"));
    write(step, "//! # Step 01: a {#a_01}\n//! **Idea.** Loop.\nint a;\n");
    write(step_zh, entry("# Step 01: a {#a_01}", "# 第 01 步：甲 {#a_01}") +
                       entry("**Idea.** Loop.", "**想法。**循环。"));
    // Where it is built, its list of solvers would be the real course's.
    std::filesystem::copy_file(binary, folder_.path() / "build" / "ladder");
  }

  void write(const std::string& file, const std::string& text) { folder_.write(file, text); }

  Finished translations(const std::vector<std::string>& options = {}) const {
    const std::filesystem::path root = folder_.path();
    std::vector<std::string> command = {"env", "LADDER_ROOT=" + root.string(),
                                        (root / "build" / "ladder").string(), "dev",
                                        "translations"};
    command.insert(command.end(), options.begin(), options.end());
    return ladder::cli::run_and_watch(command);
  }

 private:
  TemporaryFolder folder_;
};

bool says(const Finished& finished, const std::string& text) {
  INFO(finished.output);
  return finished.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a course that is translated has nothing to tell but its count") {
  const SmallCourse course;
  const Finished fresh = course.translations();
  CHECK(fresh.code == 0);
  CHECK(fresh.output == "5 paragraphs, 0 missing, 0 stale\n");
  CHECK(course.translations({"--missing"}).output == fresh.output);
}

TEST_CASE("paragraphs without a translation are counted by file, and printed under their hash") {
  SmallCourse course;
  course.write("docs/pages/index.md", "# Welcome {#index}\n\nRead it.\n\nOr not.\n");
  course.write("chapters/01_vector_add/zh/step_01_a.md", "");
  const Finished told = course.translations();
  CHECK(told.code == 0);
  CHECK(says(told, "docs/pages/zh/index.md: 1 of 3 paragraphs missing\n"));
  CHECK(says(told, std::string(step_zh) + ": no translation, 2 of 2 paragraphs missing\n"));
  CHECK(says(told, "5 paragraphs, 3 missing, 0 stale\n"));
  const Finished printed = course.translations({"--missing"});
  CHECK(printed.code == 0);
  CHECK(says(printed, entry("Or not.", "Or not.")));
  CHECK(says(printed, entry("**Idea.** Loop.", "**Idea.** Loop.")));
  CHECK_FALSE(says(printed, "Read it."));
}

TEST_CASE(
    "a translation of English that has changed is stale, one of English that is gone is over") {
  SmallCourse course;
  course.write(step, "//! # Step 01: a {#a_01}\n//! **Idea.** Loop twice.\nint a;\n");
  course.write("docs/pages/index.md", "# Welcome {#index}\n");
  const Finished told = course.translations();
  CHECK(told.code == 0);
  CHECK(says(told, std::string(step_zh) + ":5: stale: the English has changed\n"));
  CHECK(says(told, "docs/pages/zh/index.md:5: of no paragraph: the English is gone\n"));
  CHECK(says(told, "3 paragraphs, 0 missing, 1 stale\n"));
}

TEST_CASE("a translation that cannot be read is a usage error with its line") {
  SmallCourse course;
  course.write(step_zh, "循环。\n");
  const Finished broken = course.translations();
  CHECK(broken.code == 2);
  CHECK(says(broken, std::string(step_zh) + ":1: a translation begins with the hash"));
  CHECK(course.translations({"--mising"}).code == 2);
}
