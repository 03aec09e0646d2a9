#include "chapters/problem_parts.hpp"

#include <algorithm>

namespace ladder {

std::optional<std::string> outside(const Parameters& at,
                                   const std::vector<std::string>& names,
                                   std::int64_t largest) {
  for (const std::string& name : names) {
    const std::int64_t value = at[name];
    if (value < 1 || value > largest) {
      return name + " = " + std::to_string(value) + " is outside 1 .. " +
             std::to_string(largest);
    }
  }
  return std::nullopt;
}

std::function<std::optional<std::string>(const Parameters&)> at_least_one(
    std::vector<std::string> names, std::int64_t largest) {
  return [names = std::move(names), largest](const Parameters& at) {
    return outside(at, names, largest);
  };
}

double half_ulp(ElementType type, double magnitude) {
  const auto [mantissa_bits, smallest_exponent] = [&]() -> std::pair<int, int> {
    switch (type) {
      case ElementType::f16:
        return {10, -14};
      case ElementType::bf16:
        return {7, -126};
      default:
        return {23, -126};
    }
  }();
  const int exponent = magnitude == 0
                           ? smallest_exponent
                           : std::max(std::ilogb(magnitude), smallest_exponent);
  return std::ldexp(0.5, exponent - mantissa_bits);
}

Problem over_vectors(std::string name, std::string chapter, std::string title,
                     std::vector<Argument> arguments, Sizes1D sizes) {
  Problem problem;
  problem.name = std::move(name);
  problem.chapter = std::move(chapter);
  problem.title = std::move(title);
  problem.arguments = std::move(arguments);
  problem.arguments.push_back(integer("N"));
  problem.sizes = [sizes = std::move(sizes)](Tier tier) {
    return sizes_1d(tier, sizes);
  };
  problem.empty_sizes = {{{"N", 0}}};
  problem.illegal = at_least_one({"N"}, 1'000'000'000);
  return problem;
}

std::function<Cost(const Parameters&)> per_element(double bytes, double flops) {
  return [bytes, flops](const Parameters& at) {
    const double n = at.real("N");
    return Cost{bytes * n, flops * n};
  };
}

std::vector<Parameters> sizes_from(const std::vector<std::string>& names,
                                   const SizeTable& small,
                                   const SizeTable& large,
                                   const SizeTable& bench, Tier tier) {
  SizeTable table = tier == Tier::bench ? bench : small;
  if (tier == Tier::full) table.insert(table.end(), large.begin(), large.end());
  std::vector<Parameters> list;
  for (const std::vector<double>& row : table) {
    Parameters parameters;
    for (std::size_t i = 0; i < names.size(); ++i)
      parameters.set(names[i], row[i]);
    list.push_back(std::move(parameters));
  }
  return list;
}

std::vector<Parameters> with_scalars(
    std::vector<Parameters> list,
    const std::vector<std::pair<std::string, std::vector<double>>>& scalars) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const auto& [name, values] : scalars)
      list[i].set(name, values[i % values.size()]);
  }
  return list;
}

}  // namespace ladder
