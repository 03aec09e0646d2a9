// Problems of chapter 01: one output element from the input elements of the
// same index.
#include <algorithm>
#include <cmath>

#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

using Arrays = std::vector<const float*>;

// output[i] = f(inputs, i), a value and its bound.
template <typename F>
Problem elementwise(std::string name, std::string title,
                    std::vector<std::string> inputs, std::string output,
                    double flops_per_element, std::string bound_text, F f) {
  std::vector<Argument> arguments;
  for (const std::string& input : inputs) {
    arguments.push_back(in(input, extent("N")));
  }
  arguments.push_back(out(std::move(output), extent("N")));
  Problem problem = over_vectors(
      std::move(name), "01_vector_add", std::move(title), std::move(arguments),
      {.bench = {25'000'000, std::int64_t{1} << 28}});
  problem.reference = [inputs, f](const Case&, const Inputs& given) {
    Arrays arrays;
    for (const std::string& input : inputs) {
      arrays.push_back(array(given, input).data());
    }
    return std::vector<Reference>{
        [arrays, f](std::int64_t i) { return f(arrays, i); }};
  };
  problem.bound_text = std::move(bound_text);
  problem.cost = per_element(4.0 * static_cast<double>(inputs.size() + 1),
                             flops_per_element);
  return problem;
}

Problem vector_add() {
  Problem problem = elementwise("vector_add", "C = A + B, element by element",
                                {"A", "B"}, "C", 1, "equal (one rounding)",
                                [](const Arrays& x, std::int64_t i) {
                                  return Expected{x[0][i] + x[1][i]};
                                });
  problem.distributions = {Distribution::random, Distribution::alternating,
                           Distribution::large_offset};
  return problem;
}

Problem fma() {
  Problem problem = elementwise(
      "fma", "output = A * B + C with one rounding", {"A", "B", "C"}, "output",
      2, "equal (one rounding: a fused multiply-add)",
      [](const Arrays& x, std::int64_t i) {
        return Expected{std::fmaf(x[0][i], x[1][i], x[2][i])};
      });
  problem.distributions = {Distribution::random, Distribution::alternating};
  return problem;
}

Problem relu() {
  Problem problem =
      elementwise("relu", "output = max(input, 0)", {"input"}, "output", 1,
                  "equal", [](const Arrays& x, std::int64_t i) {
                    return Expected{std::max(x[0][i], 0.0f)};
                  });
  problem.distributions = {Distribution::random, Distribution::constant,
                           Distribution::large_offset};
  return problem;
}

// An activation whose exponential may be a fast one: 16 u |x|.
template <typename F>
Problem activation(std::string name, std::string title, double flops, F f) {
  Problem problem =
      elementwise(std::move(name), std::move(title), {"input"}, "output", flops,
                  "16 u |x|, u = 2^-24", [f](const Arrays& x, std::int64_t i) {
                    return Expected{f(static_cast<double>(x[0][i])),
                                    16 * unit_roundoff * std::fabs(x[0][i])};
                  });
  problem.has_exact = false;
  problem.distributions = {Distribution::random, Distribution::outlier,
                           Distribution::exact, Distribution::large_offset};
  return problem;
}

Problem silu() {
  return activation("silu", "output = x / (1 + exp(-x))", 4,
                    [](double x) { return x / (1 + std::exp(-x)); });
}

Problem gelu() {
  return activation(
      "gelu", "output = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))",
      8, [](double x) {
        const double slope = std::sqrt(2 / std::acos(-1.0));
        return x / 2 * (1 + std::tanh(slope * (x + 0.044715 * x * x * x)));
      });
}

}  // namespace

void add_vector_add_problems(ProblemRegistry& registry) {
  registry.add(vector_add());
  registry.add(relu());
  registry.add(silu());
  registry.add(gelu());
  registry.add(fma());
}

}  // namespace ladder
