// What the chapters' problem descriptions share: arguments, extents, references and bounds. Each
// chapter.cpp is then a table of what is particular to its problems.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/cases.hpp"
#include "common/harness/problem.hpp"

namespace ladder {

constexpr double unit_roundoff =
    0x1p-24;  // u of fp32: half the spacing just above 1

using Extent = std::function<std::int64_t(const Parameters&)>;

// "N", or the product of two or more: "M", "N".
template <typename... Names>
Extent extent(Names... names) {
  return
      [=](const Parameters& at) { return (std::int64_t{1} * ... * at[names]); };
}
inline Extent one_element() {
  return [](const Parameters&) { return std::int64_t{1}; };
}

inline Argument in(std::string name, Extent elements, Extent row_length = {},
                   ElementType type = ElementType::f32) {
  return {std::move(name), Role::in, type, std::move(elements),
          std::move(row_length)};
}
inline Argument out(std::string name, Extent elements, Extent row_length = {},
                    ElementType type = ElementType::f32) {
  return {std::move(name), Role::out, type, std::move(elements),
          std::move(row_length)};
}
inline Argument integer(std::string name) {
  return {std::move(name), Role::scalar, ElementType::i32, {}, {}};
}
inline Argument real(std::string name) {
  return {std::move(name), Role::scalar, ElementType::f32, {}, {}};
}

// The value of a float scalar as the solver gets it.
inline double scalar(const Parameters& at, std::string_view name) {
  return static_cast<float>(at.real(name));
}

// Whether each of `names` is an integer from 1 to `largest`; else why not.
std::optional<std::string> outside(const Parameters& at,
                                   const std::vector<std::string>& names,
                                   std::int64_t largest = 2'147'483'647);
// A problem's `illegal` for sizes that must only be at least 1 (and at most `largest`).
std::function<std::optional<std::string>(const Parameters&)> at_least_one(
    std::vector<std::string> names, std::int64_t largest = 2'147'483'647);

// `bound` for real cases; exact cases demand equality.
inline double bound_of(const Case& tried, double bound) {
  return tried.distribution == Distribution::exact ? 0 : bound;
}

// Half the spacing of a type's numbers around `magnitude`: what rounding the output may cost.
double half_ulp(ElementType type, double magnitude);

}  // namespace ladder
