// What chapter 03 says of its sums beyond "within the bound": equal bits on
// every call, and how accurate they are beside CUB's. On the emulator, and at
// full size on a GPU where there is one.
#include <doctest/doctest.h>

#include "chapters/sum_tests.hpp"

namespace ladder {

static const Problem& reduction() {
  return *problems().find("reduction");
}

TEST_CASE(
    "steps 06 and 07 give equal bits on each of 100 calls with equal input") {
  const std::vector<std::string> steps = {"step_06_two_pass",
                                          "step_07_last_block"};
  check_equal_bits(*sums_on_emulator(reduction()), steps, 20'011);
  if (const auto gpu = sums_on_gpu(reduction())) {
    check_equal_bits(*gpu, steps, 1'000'003);
    check_equal_bits(*gpu, steps, std::int64_t{1} << 28);
  }
}

TEST_CASE(
    "step 07 sums zero-mean floats within the bound and at least as accurately "
    "as CUB") {
  const auto check = [](SumMachine& machine, std::int64_t elements) {
    check_at_least_as_accurate(machine, "step_07_last_block", "ceiling_cub",
                               elements);
  };
  check(*sums_on_emulator(reduction()), std::int64_t{1} << 20);
  if (const auto gpu = sums_on_gpu(reduction())) {
    check(*gpu, std::int64_t{1} << 28);
  }
}

}  // namespace ladder
