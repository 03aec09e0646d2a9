#include "common/harness/compiler_output.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_CASE("errors are taken from nvcc's output, warnings, remarks and counts are not") {
  const auto errors = error_blocks(
      "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
      "    int x;\n"
      "        ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "a.cu(4): error: expected a \";\"\n"
      "    int y\n"
      "         ^\n"
      "\n"
      "1 error detected in the compilation of \"a.cu\".\n"
      "a.cu:9:5: error: 'z' was not declared\n"
      "ptxas error   : Entry function 'k' uses too much shared data\n");
  REQUIRE(errors.size() == 3);
  CHECK(errors[0] == "a.cu:4: error: expected a \";\"\n    int y\n         ^");
  CHECK(errors[1] == "a.cu:9:5: error: 'z' was not declared");
  CHECK(errors[2].rfind("ptxas error", 0) == 0);
  CHECK(error_blocks("").empty());
}

TEST_CASE("a launch of what is no kernel is explained") {
  const std::string message = compile_message(
      {"a.cu:1: error: a host function call cannot be configured\n  add<<<1, 1>>>(c);"}, "a.cu");
  CHECK(message.find("help: only a kernel is launched with <<<") != std::string::npos);
  CHECK(compile_message({"a.cu:1: error: expected a \";\""}, "a.cu").find("help") ==
        std::string::npos);
}

TEST_CASE("quoted code reads as it was written, and the caret stays below its place") {
  const std::string message = compile_message({"a.cu:1: error: expected an expression\n"
                                               "  __attribute__((global)) void k() { x = ; }\n"
                                               "                                         ^"},
                                              "a.cu");
  CHECK(message ==
        "a.cu does not compile (1 error):\n"
        "  a.cu:1: error: expected an expression\n"
        "    __global__ void k() { x = ; }\n"
        "                              ^");
}

TEST_CASE("only the first errors are shown, and how many there are") {
  const std::string message = compile_message({"1", "2", "3", "4", "5"}, "a.cu");
  CHECK(message == "a.cu does not compile (5 errors):\n  1\n  2\n  3\n  and 2 more");
}
