// What chapter 04 says of its sums beyond "within the bound": equal bits on
// every call, how many roundings a product goes through, and how accurate the
// result is beside cuBLAS's. On the emulator, and at full size on a GPU where
// there is one (cuBLAS there only).
#include <doctest/doctest.h>

#include <cmath>

#include "chapters/problem_parts.hpp"
#include "chapters/sum_tests.hpp"

namespace ladder {

namespace {

const Problem& dot() {
  return *problems().find("dot");
}

// The sum of |a * b| and the dot product, in double precision; and what comes
// of it when one float takes everything.
struct Exact {
  double value = 0, magnitude = 0;
  float in_one_float = 0;
};
Exact exact_of(const Inputs& inputs) {
  const Buffer& a = inputs.find("A")->second;
  const Buffer& b = inputs.find("B")->second;
  Exact exact;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    exact.value += a.value(i) * b.value(i);
    exact.magnitude += std::fabs(a.value(i) * b.value(i));
    exact.in_one_float += static_cast<float>(a.value(i) * b.value(i));
  }
  return exact;
}

// That `solver` is off by no more than `roundings` of every product, and the
// one of its result.
void check_roundings(const Problem& problem, const char* solver,
                     double roundings) {
  const auto emulator = sums_on_emulator(problem);
  const ElementType type = problem.arguments[2].type;
  for (const Distribution distribution :
       {Distribution::random, Distribution::outlier,
        Distribution::large_offset}) {
    for (const std::int64_t elements : {5, 1021, 70'001}) {
      CAPTURE(solver);
      CAPTURE(elements);
      const Case tried = sum_case(elements, 7, distribution);
      const Inputs inputs = make_inputs(problem, tried);
      const Exact exact = exact_of(inputs);
      const double sum = emulator->sums(solver, tried, inputs, 1)[0];
      const double before = roundings * unit_roundoff * exact.magnitude;
      const double result = half_ulp(type, std::fabs(exact.value) + before);
      CHECK(std::fabs(sum - exact.value) <= before + result);
      // A sum of numbers of one sign is what tells good orders from bad ones.
      const bool telling = type == ElementType::f32 && elements > 70'000 &&
                           distribution == Distribution::large_offset;
      if (telling)
        CHECK(std::fabs(exact.in_one_float - exact.value) > before + result);
    }
  }
}

}  // namespace

TEST_CASE(
    "steps 03, 04 and 06 give equal bits on each of 100 calls with equal "
    "input") {
  const std::vector<std::string> steps = {
      "step_03_two_level", "step_04_float4_single_pass", "step_06_small_n"};
  const auto emulator = sums_on_emulator(dot());
  check_equal_bits(*emulator, steps, 8'192);
  check_equal_bits(*emulator, steps, 20'011);
  if (const auto gpu = sums_on_gpu(dot())) {
    check_equal_bits(*gpu, steps, 5);
    check_equal_bits(*gpu, steps, 1'000'003);
    check_equal_bits(*gpu, steps, 100'000'000);
  }
}

TEST_CASE("step 05 and the solutions give equal bits, too") {
  const auto check = [](const char* problem, const char* solver) {
    check_equal_bits(*sums_on_emulator(*problems().find(problem)), {solver},
                     40'009);
  };
  check("dot_f16", "step_05_half_inputs");
  check("l2_norm", "solutions/ex_01_l2_norm");
  check("dot_f16", "solutions/ex_02_half_dot");
  check("dot", "solutions/ex_03_compensated");
  check("cosine", "solutions/ex_04_cosine");
}

TEST_CASE("a product goes through as many roundings as the introduction says") {
  check_roundings(dot(), "step_01_two_kernels", 10);
  check_roundings(dot(), "step_02_fused_block", 10);
  check_roundings(dot(), "step_03_two_level", 1);
  check_roundings(dot(), "step_04_float4_single_pass", 3);
  check_roundings(*problems().find("dot_f16"), "step_05_half_inputs", 4);
  check_roundings(dot(), "step_06_small_n", 3);
}

TEST_CASE("step 04 is at least as accurate as cublasSdot on zero-mean floats") {
  if (const auto gpu = sums_on_gpu(dot())) {
    check_at_least_as_accurate(*gpu, "step_04_float4_single_pass",
                               "ceiling_cublas", 100'000'000);
  }
}

}  // namespace ladder
