// The GPUs' numbers; what a driver answers is tried where there is one.
#include "common/harness/gpu.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_CASE("the number of a GPU counts in the list of those that are visible") {
  CHECK(visible_device(1, nullptr) == "1");
  CHECK(visible_device(0, "2,3") == "2");
  CHECK(visible_device(1, "GPU-5f3a, GPU-77b0") == "GPU-77b0");
  CHECK(visible_device(2, "2,3") == "");
}
