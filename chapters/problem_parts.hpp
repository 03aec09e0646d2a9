// What the chapters' problem descriptions share: arguments, extents, references
// and bounds. Each chapter.cpp is then a table of what is particular to its
// problems.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
// A problem's `illegal` for sizes that must only be at least 1 (and at most
// `largest`).
std::function<std::optional<std::string>(const Parameters&)> at_least_one(
    std::vector<std::string> names, std::int64_t largest = 2'147'483'647);

// `bound` for real cases; exact cases demand equality.
inline double bound_of(const Case& tried, double bound) {
  return tried.distribution == Distribution::exact ? 0 : bound;
}

// Half the spacing of a type's numbers around `magnitude`: what rounding the
// output may cost.
double half_ulp(ElementType type, double magnitude);

// An input array of fp32, which must outlive the reference that reads it.
inline std::span<const float> array(const Inputs& given,
                                    std::string_view name) {
  return given.find(name)->second.f32();
}

// A problem over N elements: `arguments`, then int N from 1 on.
Problem over_vectors(std::string name, std::string chapter, std::string title,
                     std::vector<Argument> arguments, Sizes1D sizes = {});

// Cost of a problem over N elements.
std::function<Cost(const Parameters&)> per_element(double bytes, double flops);

// Sizes from tables, a row for each case: `small`, with `large` for Tier::full,
// or `bench`.
using SizeTable = std::vector<std::vector<double>>;
std::vector<Parameters> sizes_from(const std::vector<std::string>& names,
                                   const SizeTable& small,
                                   const SizeTable& large,
                                   const SizeTable& bench, Tier tier);

// `list` with the values of further scalars, taken in turn: {{"eps", {1e-5,
// 1e-3}}}.
std::vector<Parameters> with_scalars(
    std::vector<Parameters> list,
    const std::vector<std::pair<std::string, std::vector<double>>>& scalars);

// The reference of an array of one element, computed when it is asked for.
template <typename Compute>
Reference single(Compute compute) {
  return [compute](std::int64_t) { return compute(); };
}

// A reference that passes over the elements in order: `advance(state, i)` for
// every i up to the one asked for, then `result(state, i)`.
template <typename State, typename Advance, typename Result>
Reference running(Advance advance, Result result) {
  return [advance, result, state = State{},
          next = std::int64_t{0}](std::int64_t i) mutable {
    for (; next <= i; ++next) advance(state, next);
    return result(state, i);
  };
}

// A reference by rows of `cols` elements: `prepare(row)` once for each row that
// is asked for, then `result(prepared, row, column)`.
template <typename Prepare, typename Result>
Reference by_rows(std::int64_t cols, Prepare prepare, Result result) {
  using Prepared = decltype(prepare(std::int64_t{0}));
  return [=, prepared = std::optional<Prepared>{},
          at = std::int64_t{-1}](std::int64_t element) mutable {
    const std::int64_t row = element / cols;
    if (row != at) {
      prepared = prepare(row);
      at = row;
    }
    return result(*prepared, row, element % cols);
  };
}

// One output row of a sum of products: the sums, and the sums of the terms'
// magnitudes.
struct SumRow {
  explicit SumRow(std::int64_t cols) : sum(cols), magnitude(cols) {}
  // Adds factor * x[j] to every column j.
  void add(double factor, const float* x) {
    const double size = std::fabs(factor);
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const double value = x[j];
      sum[j] += factor * value;
      magnitude[j] += size * std::fabs(value);
    }
  }
  std::vector<double> sum, magnitude;
};

// Bound of a sum of `terms` products whose magnitudes add up to `magnitude`: 8
// sqrt(K) u sum|a||b|.
inline double product_sum_bound(double terms, double magnitude) {
  return 8 * std::sqrt(terms) * unit_roundoff * magnitude;
}

}  // namespace ladder
