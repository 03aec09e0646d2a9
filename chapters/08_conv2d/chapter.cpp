// Problems of chapter 08: windows that slide over an input. All are "valid":
// the window never leaves the input. Kernels are not flipped (cross-
// correlation).
#include <algorithm>
#include <limits>

#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "08_conv2d";
constexpr std::int64_t largest_kernel = 31;

// How many positions a window of `size` has in `length` elements.
std::int64_t positions(std::int64_t length, std::int64_t size,
                       std::int64_t stride = 1) {
  return (length - size) / stride + 1;
}
Extent positions_in(const char* length, const char* size) {
  return [=](const Parameters& at) { return positions(at[length], at[size]); };
}
Extent product(Extent a, Extent b) {
  return [=](const Parameters& at) { return a(at) * b(at); };
}

// Why a window of `size` does not fit into `length`.
std::optional<std::string> window_outside(const Parameters& at,
                                          const std::string& length,
                                          const std::string& size,
                                          std::int64_t largest) {
  if (const auto why = outside(at, {length})) return why;
  if (const auto why = outside(at, {size}, largest)) return why;
  if (at[size] <= at[length]) return std::nullopt;
  return size + " = " + std::to_string(at[size]) + " is larger than " + length +
         " = " + std::to_string(at[length]);
}

std::vector<Distribution> every_product() {
  return {Distribution::random, Distribution::outlier,
          Distribution::alternating, Distribution::constant};
}

Problem described(std::string name, std::string title,
                  std::vector<Argument> arguments) {
  Problem problem;
  problem.name = std::move(name);
  problem.chapter = chapter;
  problem.title = std::move(title);
  problem.arguments = std::move(arguments);
  problem.distributions = every_product();
  return problem;
}

std::vector<Parameters> conv2d_sizes(Tier tier) {
  const SizeTable small = {
      {1, 1, 1, 1},    {3, 3, 3, 3},     {5, 7, 1, 3},     {7, 5, 3, 1},
      {8, 8, 5, 5},    {16, 16, 3, 3},   {17, 19, 3, 5},   {31, 33, 5, 3},
      {32, 32, 7, 7},  {33, 47, 31, 31}, {64, 64, 15, 15}, {65, 63, 5, 4},
      {100, 37, 2, 9}, {128, 129, 3, 3}, {40, 200, 31, 7}};
  const SizeTable large = {{512, 512, 15, 15},
                           {1000, 1003, 3, 5},
                           {601, 600, 31, 31},
                           {1, 100'003, 1, 31}};
  const SizeTable bench = {{3072, 3072, 15, 15}, {3072, 3072, 31, 31}};
  return sizes_from({"input_rows", "input_cols", "kernel_rows", "kernel_cols"},
                    small, large, bench, tier);
}

Problem conv2d() {
  const Extent out_cols = positions_in("input_cols", "kernel_cols");
  Problem problem = described(
      "conv2d",
      "output = input correlated with kernel, up to 31 x 31, valid positions",
      {in("input", extent("input_rows", "input_cols"), extent("input_cols")),
       in("kernel", extent("kernel_rows", "kernel_cols"),
          extent("kernel_cols")),
       out("output",
           product(positions_in("input_rows", "kernel_rows"), out_cols),
           out_cols),
       integer("input_rows"), integer("input_cols"), integer("kernel_rows"),
       integer("kernel_cols")});
  problem.sizes = conv2d_sizes;
  problem.illegal = [](const Parameters& at) {
    const auto why =
        window_outside(at, "input_rows", "kernel_rows", largest_kernel);
    return why ? why
               : window_outside(at, "input_cols", "kernel_cols",
                                largest_kernel);
  };
  problem.reference = [out_cols](const Case& tried, const Inputs& given) {
    const std::int64_t cols = tried.parameters["input_cols"];
    const std::int64_t taps_down = tried.parameters["kernel_rows"];
    const std::int64_t taps_across = tried.parameters["kernel_cols"];
    const std::int64_t width = out_cols(tried.parameters);
    return std::vector<Reference>{by_rows(
        width,
        [=, input = array(given, "input"),
         kernel = array(given, "kernel")](std::int64_t row) {
          SumRow sums(width);
          for (std::int64_t i = 0; i < taps_down; ++i) {
            for (std::int64_t j = 0; j < taps_across; ++j) {
              sums.add(kernel[i * taps_across + j],
                       &input[(row + i) * cols + j]);
            }
          }
          return sums;
        },
        [=](const SumRow& sums, std::int64_t, std::int64_t column) -> Expected {
          const double terms = static_cast<double>(taps_down * taps_across);
          return {sums.sum[column],
                  bound_of(tried,
                           product_sum_bound(terms, sums.magnitude[column]))};
        })};
  };
  problem.bound_text =
      "8 sqrt(K) u * sum|input*kernel|, K = kernel size, u = 2^-24; integers: "
      "equal";
  problem.cost = [](const Parameters& at) {
    const double taps = at.real("kernel_rows") * at.real("kernel_cols");
    const double outputs =
        static_cast<double>(positions(at["input_rows"], at["kernel_rows"]) *
                            positions(at["input_cols"], at["kernel_cols"]));
    return Cost{
        4 * (at.real("input_rows") * at.real("input_cols") + taps + outputs),
        2 * taps * outputs};
  };
  return problem;
}

std::vector<Parameters> conv1d_sizes(Tier tier) {
  const SizeTable small = {
      {1, 1},    {2, 1},    {2, 2},       {5, 3},    {7, 7},      {31, 2},
      {32, 5},   {33, 32},  {64, 1},      {65, 33},  {128, 128},  {257, 31},
      {513, 64}, {1025, 9}, {1500, 1023}, {2048, 5}, {4099, 257}, {40'001, 17}};
  const SizeTable large = {
      {65'537, 2047}, {1'000'000, 31}, {1'048'577, 8}, {10'000'019, 3}};
  const SizeTable bench = {{25'000'000, 31}, {1'500'000, 2047}};
  return sizes_from({"input_size", "kernel_size"}, small, large, bench, tier);
}

Problem conv1d() {
  const Extent outputs = positions_in("input_size", "kernel_size");
  Problem problem = described(
      "conv1d", "output = input correlated with kernel, valid positions",
      {in("input", extent("input_size")), in("kernel", extent("kernel_size")),
       out("output", outputs), integer("input_size"), integer("kernel_size")});
  problem.sizes = conv1d_sizes;
  problem.illegal = [](const Parameters& at) {
    return window_outside(at, "input_size", "kernel_size", 1 << 20);
  };
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{
        [=, input = array(given, "input"),
         kernel = array(given, "kernel")](std::int64_t i) -> Expected {
          double sum = 0, magnitude = 0;
          for (std::size_t k = 0; k < kernel.size(); ++k) {
            const double term = static_cast<double>(input[i + k]) * kernel[k];
            sum += term;
            magnitude += std::fabs(term);
          }
          const double terms = static_cast<double>(kernel.size());
          return {sum, bound_of(tried, product_sum_bound(terms, magnitude))};
        }};
  };
  problem.bound_text =
      "8 sqrt(K) u * sum|input*kernel|, K = kernel_size, u = 2^-24; integers: "
      "equal";
  problem.cost = [outputs](const Parameters& at) {
    const double n = static_cast<double>(outputs(at));
    return Cost{4 * (at.real("input_size") + at.real("kernel_size") + n),
                2 * n * at.real("kernel_size")};
  };
  return problem;
}

std::vector<Parameters> separable_sizes(Tier tier) {
  const SizeTable small = {
      {1, 1, 1},    {3, 3, 3},    {5, 7, 2},     {7, 5, 5},    {16, 16, 3},
      {17, 19, 4},  {31, 33, 5},  {32, 32, 7},   {33, 47, 31}, {64, 64, 9},
      {65, 63, 15}, {100, 37, 8}, {128, 129, 3}, {40, 200, 31}};
  const SizeTable large = {
      {512, 512, 15}, {1000, 1003, 3}, {601, 600, 31}, {31, 100'003, 31}};
  const SizeTable bench = {{8192, 8192, 15}, {8192, 8192, 31}};
  return sizes_from({"rows", "cols", "kernel_size"}, small, large, bench, tier);
}

// The down-going pass for one output row: a value and its terms' magnitudes for
// each input column.
SumRow filtered_down(std::span<const float> input,
                     std::span<const float> kernel, std::int64_t row,
                     std::int64_t cols) {
  SumRow sums(cols);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    sums.add(kernel[i], &input[(row + static_cast<std::int64_t>(i)) * cols]);
  }
  return sums;
}

Problem separable() {
  const Extent out_cols = positions_in("cols", "kernel_size");
  Problem problem = described(
      "separable",
      "conv2d with kernel[i][j] = col_kernel[i] * row_kernel[j], up to 31, "
      "valid positions",
      {in("input", extent("rows", "cols"), extent("cols")),
       in("row_kernel", extent("kernel_size")),
       in("col_kernel", extent("kernel_size")),
       out("output", product(positions_in("rows", "kernel_size"), out_cols),
           out_cols),
       integer("rows"), integer("cols"), integer("kernel_size")});
  problem.sizes = separable_sizes;
  problem.illegal = [](const Parameters& at) {
    const auto why = window_outside(at, "rows", "kernel_size", largest_kernel);
    return why ? why
               : window_outside(at, "cols", "kernel_size", largest_kernel);
  };
  problem.reference = [out_cols](const Case& tried, const Inputs& given) {
    const std::int64_t cols = tried.parameters["cols"];
    const std::span<const float> across = array(given, "row_kernel");
    return std::vector<Reference>{by_rows(
        out_cols(tried.parameters),
        [=, input = array(given, "input"), down = array(given, "col_kernel")](
            std::int64_t row) { return filtered_down(input, down, row, cols); },
        [=](const SumRow& column_sums, std::int64_t,
            std::int64_t column) -> Expected {
          double sum = 0, magnitude = 0;
          for (std::size_t j = 0; j < across.size(); ++j) {
            sum += across[j] * column_sums.sum[column + j];
            magnitude +=
                std::fabs(across[j]) * column_sums.magnitude[column + j];
          }
          const double taps =
              static_cast<double>(across.size() * across.size());
          return {sum, bound_of(tried, product_sum_bound(taps, magnitude))};
        })};
  };
  problem.bound_text =
      "8 sqrt(K) u * sum|input*col*row|, K = kernel_size^2, u = 2^-24; "
      "integers: equal";
  problem.cost = [](const Parameters& at) {
    const std::int64_t rows = at["rows"], cols = at["cols"],
                       size = at["kernel_size"];
    const std::int64_t outputs = positions(rows, size) * positions(cols, size);
    const std::int64_t products =
        (rows * positions(cols, size) + outputs) * size;
    return Cost{4.0 * static_cast<double>(rows * cols + 2 * size + outputs),
                2.0 * static_cast<double>(products)};
  };
  return problem;
}

std::vector<Parameters> max_pool_sizes(Tier tier) {
  const SizeTable small = {{1, 1, 1, 1},     {2, 2, 2, 2},     {5, 7, 2, 2},
                           {7, 5, 3, 1},     {8, 8, 2, 3},     {17, 19, 3, 2},
                           {31, 33, 5, 5},   {32, 32, 2, 2},   {33, 31, 4, 3},
                           {64, 64, 2, 1},   {65, 63, 7, 4},   {100, 37, 1, 2},
                           {128, 129, 3, 2}, {40, 200, 9, 10}, {23, 23, 23, 7}};
  const SizeTable large = {{1024, 1024, 2, 2},
                           {1000, 1003, 3, 1},
                           {4001, 3999, 5, 3},
                           {3, 100'003, 3, 2}};
  const SizeTable bench = {{8192, 8192, 2, 2}, {8192, 8192, 3, 1}};
  return sizes_from({"rows", "cols", "size", "stride"}, small, large, bench,
                    tier);
}

Problem max_pool() {
  const auto along = [](const char* length) -> Extent {
    return [=](const Parameters& at) {
      return positions(at[length], at["size"], at["stride"]);
    };
  };
  const Extent out_rows = along("rows"), out_cols = along("cols");
  Problem problem = described(
      "max_pool",
      "largest element of each size x size window, every stride elements",
      {in("input", extent("rows", "cols"), extent("cols")),
       out("output", product(out_rows, out_cols), out_cols), integer("rows"),
       integer("cols"), integer("size"), integer("stride")});
  problem.distributions = {Distribution::random, Distribution::large_offset,
                           Distribution::constant};
  problem.sizes = max_pool_sizes;
  problem.defaults = {{"stride", 1}};
  problem.illegal = [](const Parameters& at) {
    if (const auto why = outside(at, {"stride"})) return why;
    const auto why = window_outside(at, "rows", "size", 1024);
    return why ? why : window_outside(at, "cols", "size", 1024);
  };
  problem.reference = [out_cols](const Case& tried, const Inputs& given) {
    const std::int64_t cols = tried.parameters["cols"];
    const std::int64_t size = tried.parameters["size"],
                       stride = tried.parameters["stride"];
    const std::int64_t width = out_cols(tried.parameters);
    return std::vector<Reference>{
        [=, input = array(given, "input")](std::int64_t element) -> Expected {
          const std::int64_t top = element / width * stride,
                             left = element % width * stride;
          float largest = -std::numeric_limits<float>::infinity();
          for (std::int64_t i = top; i < top + size; ++i) {
            for (std::int64_t j = left; j < left + size; ++j) {
              largest = std::max(largest, input[i * cols + j]);
            }
          }
          return {largest};
        }};
  };
  problem.bound_text = "equal";
  problem.cost = [out_rows, out_cols](const Parameters& at) {
    const double outputs = static_cast<double>(out_rows(at) * out_cols(at));
    const double inputs = at.real("rows") * at.real("cols");
    return Cost{4 * (inputs + outputs),
                outputs * at.real("size") * at.real("size")};
  };
  return problem;
}

}  // namespace

void add_conv2d_problems(ProblemRegistry& registry) {
  registry.add(conv2d());
  registry.add(conv1d());
  registry.add(separable());
  registry.add(max_pool());
}

}  // namespace ladder
