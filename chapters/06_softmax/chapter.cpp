// Problems of chapter 06: rows that are scaled by statistics of their own.
#include <algorithm>
#include <limits>

#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "06_softmax";
constexpr double u = unit_roundoff;

// The largest element of a row, and the sum of exp(x - largest). Finite: -inf
// everywhere is outside the contract.
struct Softmax {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  explicit Softmax(std::span<const float> row) {
    for (const float x : row) largest = std::max<double>(largest, x);
    for (const float x : row) sum += std::exp(x - largest);
  }
};

// A problem whose output element depends on its input and the softmax
// statistics of its row.
template <typename Result>
void refer_to_softmax(Problem& problem, Result result) {
  problem.has_exact = false;
  problem.distributions = {
      Distribution::random,         Distribution::large_offset,
      Distribution::minus_infinity, Distribution::outlier,
      Distribution::alternating,    Distribution::constant};
  problem.reference = [result](const Case& tried, const Inputs& given) {
    const std::span<const float> input = array(given, "input");
    const std::int64_t cols = tried.parameters.contains("cols")
                                  ? tried.parameters["cols"]
                                  : tried.parameters["N"];
    return std::vector<Reference>{by_rows(
        cols,
        [=](std::int64_t row) {
          return Softmax(input.subspan(row * cols, cols));
        },
        [=](const Softmax& of_row, std::int64_t row, std::int64_t column) {
          return result(static_cast<double>(input[row * cols + column]),
                        of_row);
        })};
  };
}

Expected softmax_of(double x, const Softmax& row) {
  const double value = std::exp(x - row.largest) / row.sum;
  return {value, 256 * u * value + 1e-30};
}
const char* const softmax_bound = "256 u * result + 1e-30, u = 2^-24";

// The logarithm of the sum loses what the sum loses relatively, 256 u; adding
// the maximum to it before subtracting both costs a rounding at the input's own
// size.
Expected log_softmax_of(double x, const Softmax& row) {
  const double value = x - row.largest - std::log(row.sum);
  if (std::isinf(value)) return {value};
  return {value,
          256 * u * (1 + std::fabs(value)) + 4 * u * std::fabs(row.largest)};
}

Problem softmax() {
  Problem problem = over_vectors(
      "softmax", chapter, "output = exp(input) / sum of exp(input)",
      {in("input", extent("N")), out("output", extent("N"))},
      {.bench = {100'000'000}});
  refer_to_softmax(problem, softmax_of);
  problem.bound_text = softmax_bound;
  problem.cost = per_element(8, 4);
  return problem;
}

Problem log_softmax() {
  Problem problem = over_vectors(
      "log_softmax", chapter, "output = input - log(sum of exp(input))",
      {in("input", extent("N")), out("output", extent("N"))},
      {.bench = {100'000'000}});
  refer_to_softmax(problem, log_softmax_of);
  problem.bound_text = "256 u * (1 + |result|) + 4 u * |max x|, u = 2^-24";
  problem.cost = per_element(8, 4);
  return problem;
}

Problem softmax_rows() {
  Problem problem;
  problem.name = "softmax_rows";
  problem.chapter = chapter;
  problem.title = "softmax of each row";
  problem.arguments = {in("input", extent("rows", "cols"), extent("cols")),
                       out("output", extent("rows", "cols"), extent("cols")),
                       integer("rows"), integer("cols")};
  refer_to_softmax(problem, softmax_of);
  problem.sizes = [](Tier tier) {
    return sizes_2d(tier, "rows", "cols", {{32768, 1024}});
  };
  problem.empty_sizes = {{{"rows", 0}, {"cols", 5}}};
  problem.illegal = at_least_one({"rows", "cols"});
  problem.bound_text = softmax_bound;
  problem.cost = [](const Parameters& at) {
    const double elements = at.real("rows") * at.real("cols");
    return Cost{8 * elements, 4 * elements};
  };
  return problem;
}

// What a norm subtracts from a row and divides it by.
struct Moments {
  double mean = 0, sigma = 0, largest = 0;  // largest: of |x|
};
Moments moments_of(const std::vector<double>& row, bool centred, double eps) {
  Moments moments;
  const double count = static_cast<double>(row.size());
  for (const double x : row) {
    moments.largest = std::max(moments.largest, std::fabs(x));
    if (centred) moments.mean += x / count;
  }
  double squares = 0;
  for (const double x : row) squares += (x - moments.mean) * (x - moments.mean);
  moments.sigma = std::sqrt(squares / count + eps);
  return moments;
}

// Weights around 1 and small biases whatever the distribution of the input.
void fill_norm(const Case& tried, const Argument& argument,
               Generator& generator, Buffer& buffer) {
  const bool weight = argument.name == "weight";
  if (!weight && argument.name != "bias") {
    fill_from_distribution(tried, argument, generator, buffer);
    return;
  }
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    buffer.set(i, (weight ? 1 : 0) + generator.uniform(i) / 2);
  }
}

// Rows of C: (sum of `summands` - mean) / sigma * weight + bias. `centred`:
// layer norm.
Problem norm(std::string name, std::string title,
             std::vector<std::string> summands, bool centred) {
  Problem problem;
  problem.name = std::move(name);
  problem.chapter = chapter;
  problem.title = std::move(title);
  for (const std::string& summand : summands) {
    problem.arguments.push_back(in(summand, extent("N", "C"), extent("C")));
  }
  problem.arguments.push_back(in("weight", extent("C")));
  if (centred) problem.arguments.push_back(in("bias", extent("C")));
  problem.arguments.push_back(out("output", extent("N", "C"), extent("C")));
  problem.arguments.insert(problem.arguments.end(),
                           {integer("N"), integer("C"), real("eps")});
  problem.has_exact = false;
  problem.distributions = {Distribution::random, Distribution::large_offset,
                           Distribution::outlier, Distribution::constant,
                           Distribution::alternating};
  problem.fill = fill_norm;
  problem.sizes = [](Tier tier) {
    return with_scalars(sizes_2d(tier, "N", "C", {{8192, 4096}}),
                        {{"eps", {1e-5, 1e-3, 1e-6}}});
  };
  problem.defaults = {{"eps", 1e-5}};
  problem.empty_sizes = {{{"N", 0}, {"C", 5}, {"eps", 1e-5}}};
  problem.illegal = [](const Parameters& at) -> std::optional<std::string> {
    if (!(scalar(at, "eps") > 0)) return "eps must be above 0";
    return outside(at, {"N", "C"});
  };
  problem.reference = [summands, centred](const Case& tried,
                                          const Inputs& given) {
    const std::int64_t cols = tried.parameters["C"];
    const double eps = scalar(tried.parameters, "eps");
    const auto element = [=, first = array(given, summands.front()),
                          second = array(given, summands.back()),
                          two = summands.size() == 2](std::int64_t at) {
      return first[at] + (two ? static_cast<double>(second[at]) : 0.0);
    };
    const std::span<const float> weight = array(given, "weight");
    const std::span<const float> bias =
        centred ? array(given, "bias") : weight.first(0);
    return std::vector<Reference>{by_rows(
        cols,
        [=](std::int64_t row) {
          std::vector<double> values(cols);
          for (std::int64_t j = 0; j < cols; ++j)
            values[j] = element(row * cols + j);
          return moments_of(values, centred, eps);
        },
        [=](const Moments& of, std::int64_t row,
            std::int64_t column) -> Expected {
          const double w = weight[column], b = centred ? bias[column] : 0.0f;
          const double x = element(row * cols + column);
          return {
              (x - of.mean) / of.sigma * w + b,
              64 * u *
                  (std::fabs(w) * (1 + of.largest / of.sigma) + std::fabs(b))};
        })};
  };
  problem.bound_text = std::string("64 u * (|weight| * (1 + max|x| / sigma)") +
                       (centred ? " + |bias|" : "") + "), u = 2^-24";
  const double arrays = static_cast<double>(summands.size() + 1);
  problem.cost = [arrays, centred](const Parameters& at) {
    const double n = at.real("N"), c = at.real("C");
    return Cost{4 * (arrays * n * c + (centred ? 2 : 1) * c),
                (centred ? 7 : 4) * n * c};
  };
  return problem;
}

}  // namespace

void add_softmax_problems(ProblemRegistry& registry) {
  registry.add(softmax());
  registry.add(softmax_rows());
  registry.add(log_softmax());
  registry.add(
      norm("layer_norm",
           "each row: (x - mean) / sqrt(variance + eps) * weight + bias",
           {"input"}, true));
  registry.add(norm("rms_norm_rows",
                    "each row: x / sqrt(mean of x^2 + eps) * weight", {"input"},
                    false));
  registry.add(norm("residual_rms_norm", "rms_norm_rows of input + residual",
                    {"input", "residual"}, false));
}

}  // namespace ladder
