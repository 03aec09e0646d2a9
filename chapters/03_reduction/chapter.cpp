// Problems of chapter 03: one number from N.
#include <algorithm>

#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "03_reduction";
const std::vector<Distribution> every_sum = {
    Distribution::random, Distribution::outlier, Distribution::alternating,
    Distribution::large_offset, Distribution::constant};

Problem many_to_one(std::string name, std::string title,
                    ElementType result = ElementType::f32) {
  // At a million elements a launch more or less shows.
  Problem problem = over_vectors(
      std::move(name), chapter, std::move(title),
      {in("input", extent("N")), out("output", one_element(), {}, result)},
      {.bench = {100'000'000, std::int64_t{1} << 28, 1'000'000}});
  problem.cost = per_element(4, 1);
  return problem;
}

struct Sum {
  double value = 0, magnitude = 0;
};
Sum sum_of(std::span<const float> input) {
  Sum sum;
  for (const float x : input) {
    sum.value += x;
    sum.magnitude += std::fabs(static_cast<double>(x));
  }
  return sum;
}

Problem reduction() {
  Problem problem = many_to_one("reduction", "output[0] = sum of input");
  problem.distributions = every_sum;
  problem.bounds = {"tight"};
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{
        single([tried, input = array(given, "input")]() -> Expected {
          const Sum sum = sum_of(input);
          const double relative =
              tried.bound == "tight" ? 32 * unit_roundoff : 0x1p-16;
          return {sum.value, bound_of(tried, relative * sum.magnitude)};
        })};
  };
  problem.bound_text =
      "2^-16 * sum|x| (tight: 32 u * sum|x|, u = 2^-24); integers: equal";
  return problem;
}

// Scaling before or after the sum rounds differently, so exact inputs cannot
// demand equality: the bound is a quarter of what one lost element changes,
// plus the roundings of such a scaling.
Problem mean() {
  Problem problem = many_to_one("mean", "output[0] = sum of input / N");
  problem.distributions = every_sum;
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{
        single([tried, input = array(given, "input")]() -> Expected {
          const Sum sum = sum_of(input);
          const double n = static_cast<double>(input.size());
          const bool exact = tried.distribution == Distribution::exact;
          const double bound = exact ? 0.25 + 8 * unit_roundoff * sum.magnitude
                                     : 0x1p-16 * sum.magnitude;
          return {sum.value / n, bound / n};
        })};
  };
  problem.bound_text =
      "2^-16 * sum|x| / N; integers: (1/4 + 8 u * sum|x|) / N, u = 2^-24";
  return problem;
}

// NaN is outside the contract, so the order of comparisons does not matter.
Problem max() {
  Problem problem = many_to_one("max", "output[0] = largest of input");
  problem.distributions = {Distribution::random, Distribution::large_offset,
                           Distribution::minus_infinity, Distribution::constant,
                           Distribution::outlier};
  problem.reference = [](const Case&, const Inputs& given) {
    return std::vector<Reference>{
        single([input = array(given, "input")]() -> Expected {
          return {*std::max_element(input.begin(), input.end())};
        })};
  };
  problem.bound_text = "equal";
  return problem;
}

Problem argmax() {
  Problem problem =
      many_to_one("argmax", "output[0] = index of the first largest of input",
                  ElementType::i32);
  problem.distributions = {Distribution::random, Distribution::constant,
                           Distribution::minus_infinity,
                           Distribution::large_offset};
  problem.reference = [](const Case&, const Inputs& given) {
    return std::vector<Reference>{
        single([input = array(given, "input")]() -> Expected {
          const auto at = std::max_element(input.begin(), input.end());
          return {static_cast<double>(at - input.begin())};
        })};
  };
  problem.bound_text = "equal (of equal elements, the first)";
  return problem;
}

}  // namespace

void add_reduction_problems(ProblemRegistry& registry) {
  registry.add(reduction());
  registry.add(max());
  registry.add(mean());
  registry.add(argmax());
}

}  // namespace ladder
