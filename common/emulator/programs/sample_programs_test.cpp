// Larger programs in the way of textbooks and samples, each of which checks its result on the host.
#include <doctest/doctest.h>

#include "common/emulator/programs/program_runs.hpp"

namespace ladder::emulator {

namespace {

const std::vector<std::string> both_dialects = {"75", "120"};

}  // namespace

TEST_CASE("a bitonic sort of several arrays, in streams") {
  check_architectures("bitonic_streams", both_dialects, "bitonic sort in 3 streams: sorted\n");
}

TEST_CASE("bodies that attract each other, in both precisions") {
  check_architectures("n_body", both_dialects, "n-body: both precisions agree with the host\n");
}

TEST_CASE("histograms in shared memory, merged, cumulated, and by matching lanes") {
  check_architectures("histogram", both_dialects, "histogram: 20000 bytes in 256 bins\n");
}

TEST_CASE("a breadth-first search with worklists and lists on the device's heap") {
  check_architectures("breadth_first", both_dialects,
                      "breadth-first search: 900 vertices, 2162 edges\n");
}

TEST_CASE("matrix products made of classes, layouts and if constexpr") {
  check_architectures("matrix_classes", both_dialects, "matrix classes: all products agree\n");
}

TEST_CASE("option prices by random paths") {
  check_architectures("option_prices", both_dialects, "option prices: 4 within their errors\n");
}

TEST_CASE("a two-dimensional Fourier transform") {
  check_architectures("fourier", both_dialects, "fourier transform: 32 x 32, there and back\n");
}

TEST_CASE("kernels made of CUB's blocks and warps and of cuda::std") {
  check_architectures("block_algorithms", both_dialects, "block algorithms: all agree\n");
}

}  // namespace ladder::emulator
