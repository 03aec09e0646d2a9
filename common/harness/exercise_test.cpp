#include "common/harness/exercise.hpp"

#include <doctest/doctest.h>

#include "common/harness/verdict.hpp"

using namespace ladder;

namespace {

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a stub is the solution with its holes emptied or replaced and its explanation dropped") {
  const std::string solution =
      "//! # Exercise 1: stage a tile {#ex}\n"
      "//! @stub-fails trap\n"
      "//! @solution\n"
      "//!\n"
      "//! Why it works.\n"
      "#include <cuda_runtime.h>\n"
      "\n"
      "__global__ void k(float* t, int n) {\n"
      "  // [hole load: ~2 lines] Stage one element.\n"
      "  // [stub] t[0] = 0.0f;\n"
      "  // [stub]\n"
      "  // [stub]   deeper();\n"
      "  // [stub] #pragma unroll\n"
      "  if (n) t[0] = 1.0f;\n"
      "  // an inner comment\n"
      "  // [/hole]\n"
      "  // [hole rest: 1 line] The rest.\n"
      "  return;\n"
      "  // [/hole]\n"
      "}\n"
      "//! More of why.\n";
  CHECK(generate_stub(solution, "s.cu") ==
        "//! # Exercise 1: stage a tile {#ex}\n"
        "//! @stub-fails trap\n"
        "#include <cuda_runtime.h>\n"
        "\n"
        "__global__ void k(float* t, int n) {\n"
        "  // [hole load: ~2 lines] Stage one element.\n"
        "  t[0] = 0.0f;\n"
        "\n"
        "    deeper();\n"
        "#pragma unroll\n"
        "  // [/hole]\n"
        "  // [hole rest: 1 line] The rest.\n"
        "  // [/hole]\n"
        "}\n");
}

TEST_CASE("a hole's mistakes are named with file and line") {
  const struct {
    const char* solution;
    const char* message;
  } table[] = {
      {"int x;\n", "s.cu:1: a solution without a hole leaves nothing to solve"},
      {"x\n// [hole a: 1 line] Do.\nx\n",
       "s.cu:2: hole 'a' is not closed: '// [/hole]' is missing"},
      {"// [hole a: 1 line] Do.\n  // [hole b: 1 line] Do.\n// [/hole]\n",
       "s.cu:2: hole 'b' begins inside hole 'a' (line 1)"},
      {"// [hole a: 1 line] Do.\n// [/hole]\n// [hole a: 1 line] Do.\n// [/hole]\n",
       "s.cu:3: a second hole is named 'a' (the first is on line 1)"},
      {"// [/hole]\n", "s.cu:1: '[/hole]' closes nothing"},
      {"\n// [stub] x\n", "s.cu:2: '[stub]' stands outside a hole"},
      {"// [hole a] Do.\n// [/hole]\n",
       "s.cu:1: a hole begins '// [hole name: ~3 lines] what goes here'"},
      {"// [hole a: ~3 lines\n// [/hole]\n",
       "s.cu:1: a hole begins '// [hole name: ~3 lines] what goes here'"},
      {"// [hole a: ~3 lines]\n// [/hole]\n", "s.cu:1: hole 'a' does not say what goes into it"},
  };
  for (const auto& row : table) {
    CAPTURE(row.solution);
    CHECK(error_of([&] { generate_stub(row.solution, "s.cu"); }) == row.message);
  }
}

TEST_CASE("a hint that begins with code keeps the code's indentation") {
  const Sheet sheet = parse_sheet(
      "# T\n\nS\n\n## Hint 1\n\n    if (x) {\n      y();\n    }\n\n## Hint 2\nB\n## Hint 3\nC\n",
      "ex.md");
  CHECK(sheet.hints[0] == "    if (x) {\n      y();\n    }");
}

TEST_CASE("a sheet has a title, a statement and three hints") {
  const Sheet sheet = parse_sheet(
      "# Guard the tail\n\nMake it *right*.\n\n## Not a hint\nText.\n\n"
      "## Hint 1\nA\n## Hint 2\n\nB\nb\n## Hint 3\nC\n",
      "ex.md");
  CHECK(sheet.title == "Guard the tail");
  CHECK(sheet.statement == "Make it *right*.\n\n## Not a hint\nText.");
  CHECK(sheet.hints == std::vector<std::string>{"A", "B\nb", "C"});
}

TEST_CASE("a sheet's mistakes are named with file and line") {
  const struct {
    const char* text;
    const char* message;
  } table[] = {
      {"", "ex.md:1: the sheet is empty"},
      {"Text\n", "ex.md:1: a sheet begins with '# Title'"},
      {"# T\n## Hint 1\nA\n", "ex.md:1: the sheet has no statement below its title"},
      {"# T\nS\n## Hint 1\nA\n## Hint 2\nB\n",
       "ex.md:6: the sheet has 2 hints instead of three: '## Hint 3' is missing"},
      {"# T\nS\n## Hint 2\n",
       "ex.md:3: '## Hint 2' is out of order: a sheet has '## Hint 1', '## Hint 2', '## Hint 3'"},
      {"# T\nS\n## Hint 1\nA\n## Hint 2\n## Hint 3\nC\n", "ex.md:7: hint 2 says nothing"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CHECK(error_of([&] { parse_sheet(row.text, "ex.md"); }) == row.message);
  }
}
