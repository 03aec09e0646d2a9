#include "common/harness/verdict.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_CASE("the worse of two verdicts follows the documented order, whichever comes first") {
  const Verdict ascending[] = {Verdict::skipped, Verdict::solved,       Verdict::usage,
                               Verdict::wrong,   Verdict::not_compiled, Verdict::out_of_budget,
                               Verdict::trapped, Verdict::machine_fault};
  for (std::size_t low = 0; low < std::size(ascending); ++low) {
    for (std::size_t high = low; high < std::size(ascending); ++high) {
      CHECK(worst(ascending[low], ascending[high]) == ascending[high]);
      CHECK(worst(ascending[high], ascending[low]) == ascending[high]);
    }
  }
}

TEST_CASE("every verdict has a name of its own") {
  CHECK(name_of(Verdict::wrong) == "wrong answer");
  CHECK(name_of(Verdict::not_compiled) == "does not compile");
  CHECK(name_of(Verdict::skipped) == "skipped");
}
