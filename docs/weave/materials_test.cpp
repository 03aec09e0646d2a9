// What pages ask for: sections of other files, listings, answers of commands; terms that lead to the
// glossary; the roofline.
#include "docs/weave/materials.hpp"

#include <doctest/doctest.h>

#include "common/harness/files.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/figures.hpp"
#include "docs/weave/glossary.hpp"
#include "docs/weave/trace.hpp"

using namespace ladder;
using namespace ladder::weave;

namespace {

constexpr const char* readme =
    "# Title\n\nFirst.\n\n## One\n\nText.\n\n### Below it\n\n```\n## not a heading\n```\n\n## "
    "Two\n\n"
    "See [the guide](GUIDE.md), [the licence](LICENSE) and [a site](https://example.org/x).\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A page of one line, with its materials.
std::string page_with(const std::string& line) {
  const TemporaryFolder folder;
  folder.write("README.md", readme);
  folder.write("build/made.md", "# Made\n\n## Table\n\n| a |\n");
  folder.write("race.cu", "int a;  // <why>\n");
  Materials materials{folder.path(), folder.path() / "build", {}, {{"GUIDE.md", "guide.html"}}};
  materials.answers["./ladder check x"] = {1, {"wrong answer: <x>"}};
  Page page("x", "X", {"docs/pages/x.md", 1});
  page.markdown("Text.\n\n" + line + "\n\nEnd.", {"docs/pages/x.md", 3});
  add_materials(page, materials);
  return page.text();
}

const Glossary glossary(
    "# Glossary {#glossary}\n\n### warp {#g_warp}\n\n32 lanes.\n\n### shared memory "
    "{#g_shared}\n\nx\n\n### memory {#g_memory}\n\ny\n\n#### step {#g_step}\n\nz\n");

std::string linked(const std::string& markdown) {
  const std::string text = glossary.linked(markdown);
  return text.substr(0, text.size() - 1);  // without the last newline
}

std::string term(const std::string& anchor, const std::string& word) {
  return "<a class=\"kl-term\" href=\"glossary.html#" + anchor + "\">" + word + "</a>";
}

}  // namespace

TEST_CASE("a section of another file is taken in up to the next heading of its level") {
  const std::string text = page_with("@include README.md ## One");
  CHECK(has(text, "Text.\n\n### Below it {#x_below_it}"));
  CHECK(has(text, "## not a heading\n"));
  CHECK_FALSE(has(text, "See "));
  CHECK_FALSE(has(text, "@include"));
}

TEST_CASE("a whole file is taken in without its title, one that is made too") {
  CHECK(has(page_with("@include README.md"), "First.\n\n## One {#x_one}"));
  CHECK(has(page_with("@include build/made.md ## Table"), "| a |"));
}

TEST_CASE("what is taken from another file is said in the page's language, or marked as English") {
  const TemporaryFolder folder;
  folder.write("README.md", "# Title\n\n## Two\n\nSee [the guide](GUIDE.md).\n\nOnly here.\n");
  folder.write("docs/pages/x.md", "# X {#x}\n\n@include README.md ## Two\n");
  Tree tree;
  tree.source = folder.path();
  const std::string guide = Paragraph{"", 0, "See [the guide](GUIDE.md)."}.hash();
  const Translation translation("<!-- " + guide + " -->\n看[指南](GUIDE.md)。\n", "zh/x.md",
                                page_paragraphs(tree, folder.path() / "docs/pages/x.md"));
  Materials materials{folder.path(), folder.path(), {}, {{"GUIDE.md", "guide.html"}}};
  materials.words = std::make_shared<Words>("zh", "", "words.txt");
  Page page("x", "X", {"docs/pages/x.md", 1});
  page.set_translation(translation);
  page.markdown("@include README.md ## Two", {"docs/pages/x.md", 3});
  add_materials(page, materials);
  CHECK(has(page.text(), "看[指南](guide.html)。"));
  CHECK_FALSE(has(page.text(), "See "));
  CHECK(page.text().find("<div lang=\"en\">") < page.text().find("Only here."));
  CHECK(translation.missing().size() == 2);  // the title and the other paragraph
}

TEST_CASE("links to files lead to their pages, or become words") {
  const std::string text = page_with("@include README.md ## Two");
  CHECK(has(text, "See [the guide](guide.html), the licence and [a site](https://example.org/x)."));
}

TEST_CASE("listings and answers are shown as they are") {
  CHECK(has(page_with("@code race.cu"), "// &lt;why&gt;"));
  const std::string text = page_with("@terminal ./ladder check x");
  CHECK(has(text, "$ ./ladder check x</span>\nwrong answer: &lt;x&gt;\n"));
  CHECK(has(text, "exit code 1"));
}

TEST_CASE("what a page asks for and is not there stops with its line") {
  const auto stops_with = [](const std::string& line, const char* words) {
    CHECK_THROWS_WITH_AS(page_with(line), doctest::Contains(words), UsageError);
  };
  stops_with("@include README.md ## Three",
             "docs/pages/x.md:5: README.md has no section '## Three'");
  stops_with("@include MISSING.md", "docs/pages/x.md:5: ");
  stops_with("@code missing.cu", "docs/pages/x.md:5: ");
  stops_with("@terminal ./ladder check y", "docs/pages/x.md:5: nobody has run");
}

TEST_CASE("a long page begins with its sections, a short one does not") {
  const std::string two = "## One {#one}\n\nx\n\n## Two `b` {#two}\n\n";
  for (const bool is_long : {false, true}) {
    Page page("x", "X", {"x.md", 1});
    page.markdown(two + (is_long ? "## Three {#three}\n\n## Four {#four}\n" : ""), {"x.md", 2});
    add_materials(page, Materials{});
    CHECK(has(page.text(), "<a href=\"#two\">Two <code>b</code></a>") == is_long);
    const bool ahead = page.text().find("kl-sections") < page.text().find("## One");
    CHECK(ahead == is_long);
  }
}

TEST_CASE("code with an apostrophe stays code for Doxygen") {
  Page page("x", "X", {"x.md", 1});
  page.markdown("a `b` and `{'c'}` d", {"x.md", 2});
  CHECK(has(page.text(), "a `b` and ``{'c'}`` d"));
}

TEST_CASE("terms lead to the glossary in another language too, also between its characters") {
  const Glossary chinese("### warp {#g_warp}\n\nx\n\n#### step {#g_step}\n",
                         parse_terms("# names\nwarp = 线程束, warp 组\nstep = 步骤\n", "t.txt"));
  CHECK(chinese.linked("一个线程束里的线程束。") ==
        "一个" + term("g_warp", "线程束") + "里的线程束。\n");
  CHECK(chinese.linked("每个步骤") == "每个" + term("g_step", "步骤") + "\n");
  CHECK_THROWS_WITH_AS(parse_terms("\nwarp\n", "t.txt"), doctest::Contains("t.txt:2: "),
                       UsageError);
  CHECK_THROWS_WITH_AS(Glossary("### warp {#g_warp}\n", {{"wrap", "线程束"}}),
                       doctest::Contains("'wrap'"), UsageError);
}

TEST_CASE("a term in bold words does not end them") {
  CHECK(linked("**The warp.** A warp.") == "**The warp.** A " + term("g_warp", "warp") + ".");
  CHECK(linked("*two warps* 2 * a warp") == "*two warps* 2 * a " + term("g_warp", "warp"));
  CHECK(linked("* a warp") == "* a " + term("g_warp", "warp"));
}

TEST_CASE("a per cent sign ahead of Chinese stays for Doxygen, in code as it is") {
  Page page("x", "X", {"x.md", 1});
  page.markdown("\u201c94 %\u201d, 5 % of `%\u201d`", {"x.md", 2});
  CHECK(has(page.text(), "\u201c94 \\%\u201d, 5 % of `%\u201d`"));
}

TEST_CASE("answers are the same after they were kept in a file") {
  const Answers answers = {{"./ladder a", {0, {"", "| x", "$ y"}}}, {"./ladder b", {77, {}}}};
  const Answers again = read_answers(write_answers(answers));
  REQUIRE(again.size() == 2);
  CHECK(again.at("./ladder a").lines == answers.at("./ladder a").lines);
  CHECK(again.at("./ladder b").exit_code == 77);
}

TEST_CASE("a trace becomes a picture of what the lanes touched") {
  const TemporaryFolder folder;
  std::string offsets, shared;
  for (int lane = 0; lane < 32; ++lane) {
    offsets += (lane > 0 ? ", " : "") + (lane < 16 ? std::to_string(8 * lane) : "null");
    shared += (lane > 0 ? ", " : "") + std::to_string(128 * lane);
  }
  const auto file = folder.write(
      "trace.json",
      R"({"launches": [{"memories": [{"space": "global", "name": "A", "begin": 512, "bytes": 999},
       {"space": "shared", "name": "tile", "begin": 0, "bytes": 4096}],
       "instructions": [{"file": "s.cu", "line": 7, "text": "ld"}],
       "accesses": [{"instruction": 0, "memory": 0, "kind": "read", "bytes": 4, "offsets": [)" +
          offsets + R"(]}, {"instruction": 0, "memory": 1, "kind": "write", "bytes": 4,
       "offsets": [)" +
          shared + "]}]}]}");
  const auto drawn = [&](const std::string& line) {
    const TracedAccess access = first_access(file, parse_trace(line));
    return trace_html(line, {0, write_access(access)});
  };
  const std::string on_sectors = drawn("@trace 01.01 memory=A");
  CHECK(has(on_sectors, "4 sectors, 128 bytes moved for the 64"));
  CHECK(has(on_sectors, "s.cu:7"));
  CHECK(has(drawn("@trace 01.01 access=write | Mine."), "32 wavefronts"));
  CHECK(has(drawn("@trace 01.01 access=write | Mine."), "<figcaption>Mine."));
  CHECK_THROWS_WITH_AS(drawn("@trace 01.01 memory=B"), doctest::Contains("has no access"),
                       UsageError);
  CHECK_THROWS_AS(parse_trace("@trace memory=A"), UsageError);
  CHECK_THROWS_AS(parse_trace("@trace 01.01 meory=A"), UsageError);
}

TEST_CASE("a term leads to the glossary where a page uses it first") {
  CHECK(linked("A warp and a warp.") == "A " + term("g_warp", "warp") + " and a warp.");
  CHECK(linked("Warps.\nwarp") == term("g_warp", "Warps") + ".\nwarp");
  CHECK(linked("shared memory") == term("g_shared", "shared memory"));
  CHECK(linked("(memory)") == "(" + term("g_memory", "memory") + ")");
  CHECK(linked("a step") == "a step");
  CHECK(linked("warpst") == "warpst");
}

TEST_CASE("a term is left alone where a link would do harm") {
  for (const char* text :
       {"`warp`", "``a warp``", "[a warp](x.html)", "[a\nwarp](x.html)", "# warp", "| warp |",
        "<b title=\"warp\">", "```\nwarp\n```", "text\n\n    warp", "\\f$ warp \\f$",
        "\\htmlonly[block]\nwarp\n\\endhtmlonly", "warp_size", "warp-wide", "sub-warp", "**warp**",
        "\"a\nwarp\"", "@code warp"}) {
    CAPTURE(text);
    CHECK(linked(text) == text);
  }
  CHECK(linked("`a` warp") == "`a` " + term("g_warp", "warp"));
  CHECK(linked("- item\n  warp") == "- item\n  " + term("g_warp", "warp"));
}

TEST_CASE("a roofline shows each step that computes, below ceilings of the same file") {
  Chapter chapter;
  Solver& step = chapter.steps.emplace_back();
  step.entry.chapter = "01_a";
  step.entry.name = "step_01_b";
  step.header.title = "Step 01: b";
  step.header.anchor = "a_01";
  Measurements measured;
  Timing timing;
  timing.at = {{"N", 4096}};
  timing.gigabytes_per_s = 1200;
  timing.gigaflops = 100;
  measured.timings[step.entry.id()] = {timing};
  CHECK(roofline(chapter, measured).empty());
  measured.ceilings = {{"copy_gb_s", 4271.5}, {"ffma_tflops", 64.0}, {"launch_us", 3}};
  const std::string html = roofline(chapter, measured);
  CHECK(has(html, "Step 01: b: 100.00 GFLOP/s at 0.083 operations a byte."));
  CHECK(has(html, "href=\"a_01.html\""));
  CHECK(has(html, "ffma 64.0\u00a0TFLOP/s"));
  measured.timings[step.entry.id()][0].gigaflops = 0;  // a transpose computes nothing
  CHECK(roofline(chapter, measured).empty());
}

TEST_CASE("a roofline is of the largest size, even where the slowest step is missing") {
  Chapter chapter;
  Measurements measured;
  measured.ceilings = {{"copy_gb_s", 4271.5}, {"ffma_tflops", 64.0}};
  const auto timing = [](double size) {
    Timing taken;
    taken.at = {{"N", size}};
    taken.gigabytes_per_s = taken.gigaflops = 100;
    return taken;
  };
  for (const char* name : {"step_01_slow", "step_02_b"}) {
    chapter.steps.emplace_back().entry.name = name;
    measured.timings[chapter.steps.back().entry.id()] = {timing(4096), timing(8192)};
  }
  measured.timings[chapter.steps.front().entry.id()].pop_back();
  CHECK(has(roofline(chapter, measured), "The roofline at N\u00a0=\u00a08\u202f192."));
  // But of none where less than half of the most steps are left, however few there were before.
  for (const char* name : {"step_03_c", "step_04_d"}) {
    chapter.steps.emplace_back().entry.name = name;
    measured.timings[chapter.steps.back().entry.id()] = {timing(4096)};
  }
  measured.timings[chapter.steps[1].entry.id()].push_back(timing(16384));
  measured.timings[chapter.steps[2].entry.id()].push_back(timing(8192));
  CHECK(has(roofline(chapter, measured), "The roofline at N\u00a0=\u00a08\u202f192."));
}
