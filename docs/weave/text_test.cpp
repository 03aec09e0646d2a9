// The small parts: HTML, colouring, comparing, pages that know where they come from.
#include <doctest/doctest.h>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/api.hpp"
#include "docs/weave/comments.hpp"
#include "docs/weave/difference.hpp"
#include "docs/weave/hand_written.hpp"
#include "docs/weave/highlight.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/listing.hpp"
#include "docs/weave/site.hpp"

using namespace ladder;
using namespace ladder::weave;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("text is escaped for HTML") {
  CHECK(escape("a<<<1, 1>>>(\"&\")") == "a&lt;&lt;&lt;1, 1&gt;&gt;&gt;(&quot;&amp;&quot;)");
  CHECK(inline_code("use `a<b>` now") == "use <code>a&lt;b&gt;</code> now");
  CHECK(inline_code("a ` alone") == "a  alone");
}

TEST_CASE("numbers are shown as people write them") {
  CHECK(size_text(268435456) == "2<sup>28</sup>");
  CHECK(size_text(8192) == "8\u202f192");
  CHECK(size_text(65536) == "65\u202f536");
  CHECK(size_text(131072) == "2<sup>17</sup>");
  CHECK(size_text(25e6) == "25 million");
  CHECK(size_text(257) == "257");
  CHECK(time_text(73.9839971) == "74.0\u00a0µs");
  CHECK(time_text(1413266.6) == "1.41\u00a0s");
  CHECK(time_text(39318.1) == "39.3\u00a0ms");
  CHECK(percent_text(1.0204) == "102.0\u00a0%");
  CHECK(percent_text(0.0018817) == "0.19\u00a0%");
  CHECK(percent_text(5.2e-5) == "0.0052\u00a0%");
  CHECK(count_text(1234567) == "1\u202f234\u202f567");
  CHECK(count_text(999) == "999");
  CHECK(counter_text(1234) == "1\u202f234");
  CHECK(counter_text(4.8584) == "4.86");  // a ratio is no whole number
  CHECK(counter_text(0.00357) == "0.0036");
  CHECK(breakable("a/b_c.cu") == "a/<wbr>b_c.cu");
  CHECK(breakable("load.a_b<1>") == "load.<wbr>a_<wbr>b&lt;1&gt;");
}

TEST_CASE("code is coloured line by line, each line balanced") {
  const std::vector<std::string> lines = {"#include <x>  // why", "const int a = 'b'; /* one",
                                          "two */ return \"if\\\"\";"};
  const std::vector<std::string> html = highlight(lines);
  REQUIRE(html.size() == 3);
  CHECK(html[0].find("<span class=\"comment\">// why</span>") != std::string::npos);
  CHECK(html[1].find("<span class=\"keyword\">const</span>") != std::string::npos);
  CHECK(html[2].rfind("<span class=\"comment\">two */</span>", 0) == 0);
  CHECK(html[2].find("keywordflow\">if") == std::string::npos);
  for (const std::string& line : html) CHECK(count_of(line, "<span") == count_of(line, "</span>"));
}

TEST_CASE("a comparison counts what was added and removed, and loses no line") {
  const std::vector<std::string> before = {"a", "b", "c", "d"},
                                 after = {"a", "x", "y", "c", "d", "e"};
  const Difference difference = compare(before, after);
  CHECK(difference.added == 3);
  CHECK(difference.removed == 1);
  std::vector<std::string> old_again, new_again;
  for (const Hunk& hunk : difference.hunks) {
    for (int i = 0; i < hunk.before_count; ++i) old_again.push_back(before[hunk.before_first + i]);
    for (int i = 0; i < hunk.after_count; ++i) new_again.push_back(after[hunk.after_first + i]);
  }
  CHECK(old_again == before);
  CHECK(new_again == after);
  CHECK(compare(before, before).hunks.size() == 1);
  CHECK(compare({}, {}).hunks.empty());
}

TEST_CASE("prose between lines of code is interleaved, and keys belong to neither") {
  const std::string text =
      "//! # Step 01: x {#x_01}\n//! @new a\n//!\n//! **Idea.** first\n//! second\n"
      "#include <x>\n\nint a;\n  //! then this\nint b;\n";
  const SolverHeader header = parse_solver_header(text, "x.cu");
  const std::vector<Segment> segments = segments_of(lines_of(text), header);
  REQUIRE(segments.size() == 4);
  CHECK(segments[0].prose);
  CHECK(segments[0].first_line == 4);
  CHECK(segments[0].lines == std::vector<std::string>{"**Idea.** first", "second"});
  CHECK(segments[1].lines == std::vector<std::string>{"#include <x>", "", "int a;"});
  CHECK(segments[2].lines == std::vector<std::string>{"then this"});
  CHECK(segments[2].first_line == 9);
  CHECK(segments[3].first_line == 10);
  CHECK(numbered_listing(segments[3].lines, 10).find("id=\"L10\"") != std::string::npos);
}

TEST_CASE("a solution's prose stays out unless it is asked for") {
  const std::string text =
      "//! # Exercise 1: x {#x_ex}\n//! shown\n//! @solution\n//! hidden\nint a;\n";
  const SolverHeader header = parse_solver_header(text, "x.cu");
  CHECK(segments_of(lines_of(text), header)[0].lines == std::vector<std::string>{"shown"});
  CHECK(segments_of(lines_of(text), header, true)[0].lines ==
        std::vector<std::string>{"shown", "", "hidden"});
}

TEST_CASE("what Doxygen says of a page is said of the file that the line came from") {
  Page page("x_01", "Step 01: x", {"chapters/x/step_01.cu", 1});
  page.html("<p>made</p>");
  page.markdown("one\ntwo #three", {"chapters/x/step_01.cu", 7});
  int number = 0, wanted = 0;
  for (const std::string& line : lines_of(page.text())) {
    ++number;
    if (line == "two #three") wanted = number;
  }
  const std::string log = "Reading ...\n/tmp/pages/x_01.md:" + std::to_string(wanted) +
                          ": warning: bad link\n/tmp/pages/y.md:3: warning: other\n";
  CHECK(explain_warnings(log, {page}) ==
        "chapters/x/step_01.cu:8: warning: bad link\n/tmp/pages/y.md:3: warning: other\n");
}

TEST_CASE("a page by hand has sections that the search can find") {
  const Page page = hand_written_page(
      "# Measuring {#measuring}\n\nIntro.\n\n## Cold caches {#measuring_cold}\n\nL2 is emptied.\n",
      "docs/pages/measuring.md");
  REQUIRE(page.search().size() == 2);
  CHECK(page.search()[1].url == "measuring.html#measuring_cold");
  CHECK(page.search()[1].text.find("L2 is emptied") != std::string::npos);
  CHECK_THROWS_WITH_AS(hand_written_page("Measuring\n", "docs/pages/m.md"),
                       doctest::Contains("docs/pages/m.md:1: "), UsageError);
  const std::string data = search_data({page});
  CHECK(data.find("\"url\":\"measuring.html#measuring_cold\"") != std::string::npos);
}

TEST_CASE("the theme finds its places in Doxygen's template, or says that it does not") {
  const std::string themed = with_theme(
      "<!DOCTYPE html><html xmlns=\"x\"><head>$mathjax</head><body>\n<!--BEGIN TITLEAREA-->t"
      "<!--END TITLEAREA--></body></html>",
      "<nav>n</nav>", editions().front());
  CHECK(themed.find("<html lang=\"en\">") != std::string::npos);
  CHECK(themed.find("<body>\n<nav>n</nav>") != std::string::npos);
  CHECK(themed.find("ladder.js") != std::string::npos);
  CHECK(themed.find("TITLEAREA") == std::string::npos);
  CHECK(themed.find("$mathjax") == std::string::npos);
  CHECK_THROWS_AS(with_theme("<html><body></body></html>", "", editions().front()), MachineError);
}

TEST_CASE("comments of a header become Doxygen's, line for line") {
  const std::string header =
      "// What it is for.\n//\n//   example();\n#pragma once\n\nnamespace a {\n\n"
      "// One @thing.\nstruct One {\n  int x = 0;  // in bytes\n  One(const One&) = delete;\n"
      "  // Says <x>.\n  int get() const {\n    // not for Doxygen\n    return x;  // nor this\n  "
      "}\n};\n\n"
      "// A remark of its own.\n\nint f(const char* = \"http://x\");\n}  // namespace a\n";
  const std::string text = doxygen_comments(header);
  const std::vector<std::string> lines = lines_of(text);
  CHECK(lines.size() == lines_of(header).size());
  CHECK(text.rfind("/// \\file\n/// What it is for.\n///\n///     example();\n\nnamespace a {",
                   0) == 0);
  CHECK(lines[7] == "/// One \\@thing.");
  CHECK(lines[9] == "  int x = 0;  ///< in bytes");
  CHECK(lines[10].empty());
  CHECK(lines[11] == "/// Says &lt;x>.");
  CHECK(lines[13] == "    // not for Doxygen");
  CHECK(lines[14] == "    return x;  // nor this");
  CHECK(lines[18] == "// A remark of its own.");
  CHECK(lines[20] == "int f(const char* = \"http://x\");");
  CHECK(lines[21] == "}  // namespace a");  // which says nothing of what comes next
  CHECK(purpose_of(header) == "What it is for.\n\n  example();\n");
  // Doxygen takes "file:line" for an address unless it is told, and "quotes" as they are.
  CHECK(lines_of(doxygen_comments("// F.\n// At file:line.\n"))[2] == "/// At %file:line.");
  CHECK(lines_of(doxygen_comments("// F.\n// \"@a < 1\" < 2\n"))[2] == "/// \"@a < 1\" &lt; 2");
  CHECK(lines_of(doxygen_comments("// F.\n// `\"` < \"a\"\n"))[2] == "/// `\"` &lt; \"a\"");
}

TEST_CASE("a member without a word is an error only in headers that learners include") {
  const std::vector<ApiHeader> headers = {{"common/check.hpp", "", true},
                                          {"common/harness/judge.hpp", "", false}};
  const std::string log =
      "/c/common/check.hpp:3: warning: Member f() (function) of x is not documented.\n"
      "/c/common/harness/judge.hpp:4: warning: Member g() (function) of x is not documented.\n"
      "/c/common/harness/judge.hpp:5: warning: unable to resolve reference\n";
  CHECK(api_errors(log, headers, "/c") ==
        "common/check.hpp:3: warning: Member f() (function) of x is not documented.\n"
        "common/harness/judge.hpp:5: warning: unable to resolve reference\n");
  CHECK(headers[0].page_file() == "api/check_8hpp.html");
}

TEST_CASE("emphasis needs no blanks round it, and arithmetic is none") {
  CHECK(emphasis_as_html("让*每一种*规模**都**对") == "让<em>每一种</em>规模<strong>都</strong>对");
  CHECK(emphasis_as_html("t + 2 * 16384, t * b, `*p * *q`") == "t + 2 * 16384, t * b, `*p * *q`");
  CHECK(emphasis_as_html("**想法。** 拿来") == "<strong>想法。</strong> 拿来");
}

TEST_CASE("words are said in the edition's language, and those that are not there are told") {
  const Words say("zh", "# names\nBuilds on = 前一步\n{} of {} = {} / {}\n", "words.txt");
  CHECK(say("Builds on") == "前一步");
  CHECK(say("{} of {}", {"1", "2"}) == "1 / 2");
  CHECK(say.missing().empty());
  CHECK(say("New") == "New");
  CHECK(say.name("float4") == "float4");
  CHECK(say.missing() == std::set<std::string>{"New"});
  CHECK(Words()("{} takes {}", {"a", "b"}) == "a takes b");
  CHECK_THROWS_WITH_AS(Words("zh", "\nBuilds on\n", "w.txt"), doctest::Contains("w.txt:2: "),
                       UsageError);
  CHECK_THROWS_WITH_AS(Words("zh", "a {} = b\n", "w.txt"), doctest::Contains("w.txt:1: "),
                       UsageError);
}

TEST_CASE("prose without a translation stays English, and old prose has the English beside it") {
  const Words say("zh", "", "words.txt");
  const std::string english = "One.\n\n    code\n\nTwo.\n\nThree.\n";
  const auto hash = [](const std::string& text) { return Paragraph{"", 0, text}.hash(); };
  const Translation translation(
      "<!-- " + hash("One.") + " -->\n一。\n\n<!-- " + hash("Two!") + " -->\n二。\n", "zh/x.md",
      paragraphs_of(english, "x.md"));
  Page page("x", "X", {"x.md", 1});
  const std::string shown = add_prose(page, translation, say, english, {"x.md", 1});
  CHECK(page.text().find("One.") == std::string::npos);
  CHECK(page.text().find("一。") != std::string::npos);
  CHECK(page.text().find("kl-stale") < page.text().find("二。"));
  REQUIRE(page.text().find("Two.") != std::string::npos);
  CHECK(page.text().find("二。") < page.text().find("Two."));
  CHECK(page.text().find("    code") != std::string::npos);
  CHECK(page.text().find("Three.") != std::string::npos);
  CHECK(shown.find("Three.") != std::string::npos);
}
