// A small problem for the tests of judging and timing, apart from the chapters'.
#pragma once

#include <initializer_list>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

inline std::vector<Parameters> test_sizes(std::initializer_list<int> values) {
  std::vector<Parameters> sizes;
  for (const int value : values) sizes.push_back({{"N", static_cast<double>(value)}});
  return sizes;
}

// C = A + B, with a few sizes round a block of 256.
inline Problem test_vector_add() {
  const auto n = [](const Parameters& sizes) { return sizes["N"]; };
  Problem problem;
  problem.name = "vector_add";
  problem.chapter = "01_vector_add";
  problem.arguments = {{"A", Role::in, ElementType::f32, n, {}},
                       {"B", Role::in, ElementType::f32, n, {}},
                       {"C", Role::out, ElementType::f32, n, {}},
                       {"N", Role::scalar, ElementType::i32, {}, {}}};
  problem.sizes = [](Tier) { return test_sizes({1, 33, 255, 256, 257, 512, 1000, 1024}); };
  problem.empty_sizes = test_sizes({0});
  problem.cost = [](const Parameters& at) { return Cost{12 * at.real("N"), at.real("N")}; };
  problem.reference = [](const Case&, const Inputs& inputs) {
    const auto a = inputs.find("A")->second.f32(), b = inputs.find("B")->second.f32();
    return std::vector<Reference>{[a, b](std::int64_t i) {
      return Expected{a[static_cast<std::size_t>(i)] + b[static_cast<std::size_t>(i)], 0, false};
    }};
  };
  return problem;
}

}  // namespace ladder
