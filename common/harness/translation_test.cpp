// Translations beside the English: found by hash, stale when the English changes, never lost
// silently.
#include <doctest/doctest.h>

#include "common/harness/translation.hpp"
#include "common/harness/verdict.hpp"

using namespace ladder;

namespace {

const std::string english = "# Title {#page}\n\nOne\ntwo.\n\n    code\n\nThree.\n\nFour.\n";

// An entry for the English paragraph `of`.
std::string entry(const std::string& of, const std::string& text) {
  return "<!-- " + Paragraph{"", 0, of}.hash() + " -->\n" + text + "\n\n";
}

Translation translate(const std::string& text, const std::string& of = english) {
  return Translation(text, "zh/x.md", paragraphs_of(of, "x.md"));
}

}  // namespace

TEST_CASE("Markdown is cut at blank lines, but not inside a fence") {
  const auto paragraphs = paragraphs_of("a\nb\n\n```cpp\nx\n\ny\n```\n\nc\n", "x.md", 10);
  REQUIRE(paragraphs.size() == 3);
  CHECK(paragraphs[0].text == "a\nb");
  CHECK(paragraphs[1].text == "```cpp\nx\n\ny\n```");
  CHECK(paragraphs[1].is_code());
  CHECK(paragraphs[2].line == 19);
}

TEST_CASE("a paragraph keeps its translation when its lines are broken elsewhere") {
  const Translation translation = translate(entry("One two.", "yi er"));
  REQUIRE(translation.find("One\ntwo.") != nullptr);
  CHECK(translation.find("One\ntwo.")->text == "yi er");
  CHECK(translation.find("One\ntwo.")->line == 2);
  CHECK(translation.stale().empty());
}

TEST_CASE("what has no translation is missing, except code") {
  const Translation translation = translate(entry("Three.", "san"));
  REQUIRE(translation.missing().size() == 3);
  CHECK(translation.missing()[1].text == "One\ntwo.");
  CHECK(translation.missing()[1].line == 3);
  CHECK(translate("").empty());
}

TEST_CASE("a translation of English that has changed is stale, and found by what took its place") {
  const std::string text =
      entry("One two.", "yi er") + entry("Three!", "san") + entry("Four.", "si");
  const Translation translation = translate(text);
  REQUIRE(translation.find("Three.") != nullptr);
  CHECK(translation.find("Three.")->stale);
  CHECK(translation.find("Three.")->text == "san");
  CHECK_FALSE(translation.find("Four.")->stale);
  CHECK(translation.stale().size() == 1);
  CHECK(translation.left_over().empty());
}

TEST_CASE("a translation of English that is gone is left over") {
  const std::string text = entry("One two.", "yi er") + entry("Three.", "san") +
                           entry("Gone.", "-") + entry("Four.", "si");
  const Translation translation = translate(text);
  REQUIRE(translation.left_over().size() == 1);
  CHECK(translation.left_over()[0].text == "-");
}

TEST_CASE("a title is translated, with the English one's anchor") {
  CHECK(translate(entry("# Title {#page}", "# Biaoti {#page}")).title("Title", "page") == "Biaoti");
  CHECK(translate("").title("Title", "page") == "Title");
  CHECK_THROWS_WITH_AS(translate("\n" + entry("# Title {#page}", "# Biaoti")),
                       doctest::Contains("zh/x.md:3: this heading has the anchor {#page}"),
                       UsageError);
}

TEST_CASE("text under no hash, and a hash given twice, stop with file and line") {
  CHECK_THROWS_WITH_AS(translate("\nyi\n"), doctest::Contains("zh/x.md:2: "), UsageError);
  CHECK_THROWS_WITH_AS(translate(entry("Four.", "si") + entry("Four.", "si")),
                       doctest::Contains("zh/x.md:4: "), UsageError);
}
