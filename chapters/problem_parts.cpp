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

}  // namespace ladder
