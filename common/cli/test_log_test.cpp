#include "common/cli/test_log.hpp"

#include <doctest/doctest.h>

using ladder::cli::parse_test_log;

TEST_CASE("every case of a doctest program counts") {
  const auto results = parse_test_log(
      R"({"name": "harness", "result": "OK", "stdout": "[doctest] test cases: 5 | 4 passed | 0 failed | 1 skipped\n"})");
  REQUIRE(results.size() == 1);
  CHECK(results[0].passed == 4);
  CHECK(results[0].failed == 0);
  CHECK(results[0].skipped == 1);
}

TEST_CASE("a test that is no doctest program counts as one") {
  const auto results = parse_test_log(
      "{\"name\": \"a\", \"result\": \"OK\", \"stdout\": \"fine\"}\n"
      "{\"name\": \"b\", \"result\": \"FAIL\", \"stderr\": \"broken\"}\n"
      "{\"name\": \"c\", \"result\": \"SKIP\"}\n");
  REQUIRE(results.size() == 3);
  CHECK(results[0].passed == 1);
  CHECK(results[1].failed == 1);
  CHECK(results[1].output == "broken");
  CHECK(results[2].skipped == 1);
  CHECK(results[2].passed == 0);
}

TEST_CASE("a doctest program that crashed after its summary still fails") {
  const auto results = parse_test_log(
      R"({"name": "a", "result": "FAIL", "stdout": "[doctest] test cases: 2 | 2 passed | 0 failed | 0 skipped"})");
  CHECK(results[0].failed == 1);
}

TEST_CASE("a test that timed out fails") {
  CHECK(parse_test_log(R"({"name": "a", "result": "TIMEOUT"})")[0].failed == 1);
}

TEST_CASE("a damaged line of the log is a failure, not silence") {
  const auto results = parse_test_log("{\"name\": \"a\", \"result\": \"OK\"}\n{\"name\": ");
  REQUIRE(results.size() == 2);
  CHECK(results[1].failed == 1);
}

TEST_CASE("a log without lines has no results") {
  CHECK(parse_test_log("").empty());
}
