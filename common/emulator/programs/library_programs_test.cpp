// Programs that use the toolkit's libraries of device code, for several architectures: both of
// PTX's dialects, and what the headers do for each kind of device.
#include <doctest/doctest.h>

#include "common/emulator/programs/program_runs.hpp"

namespace ladder::emulator {

TEST_CASE("copies that run beside the computation: cuda::barrier and cuda::pipeline") {
  check_architectures("pipelines", {"75", "80", "90", "100", "120"},
                      "pipelines: all as expected\n");
}

TEST_CASE("cooperative groups: tiles, coalesced and labelled groups, reductions, grids") {
  check_architectures("groups", {"75", "90", "120"}, "groups: all as expected\n");
}

TEST_CASE("CUB's and Thrust's reductions, scans, selections and sorts") {
  check_architectures("algorithms", {"75", "90", "120"}, "algorithms: all as expected\n");
}

TEST_CASE("random numbers of curand's device code") {
  check_architectures("random_numbers", {"75", "120"}, "random numbers: all as expected\n");
}

TEST_CASE("matrices are multiplied by mma and in all of wmma's shapes, types and layouts") {
  check_architectures("matrices", {"80", "120"}, "matrices: mma\nmatrices: wmma\n");
}

TEST_CASE("kernels call themselves, pointers, virtual functions and lambdas") {
  check_architectures("calls", {"75", "120"}, "calls: all as expected\n");
}

}  // namespace ladder::emulator
