#include "common/cli/cpu.hpp"

#include <doctest/doctest.h>

using ladder::cli::lacking_vectors;

TEST_CASE("a CPU runs the faster emulator only with all that AVX2 came with") {
  const std::string before = "processor : 0\nflags\t: fpu avx avx2 bmi1 ";
  CHECK(lacking_vectors(before + "bmi2 f16c fma movbe\nmodel : x\n") == "");
  CHECK(lacking_vectors(before + "f16c fma\nprocessor : 1\n") == "bmi2 movbe");
  CHECK(lacking_vectors(before + "bmi2 f16c fma4 movbe\n") == "fma");
  CHECK(lacking_vectors("") == "avx avx2 bmi1 bmi2 f16c fma movbe");
}
