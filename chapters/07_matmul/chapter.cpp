// Problems of chapter 07: products of matrices. The two contracts name their
// sizes differently.
#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "07_matmul";

// A is M x N, B is N x K, C is M x K: N is the inner size.
Problem matmul() {
  Problem problem;
  problem.name = "matmul";
  problem.chapter = chapter;
  problem.title = "C (M x K) = A (M x N) times B (N x K)";
  problem.arguments = {in("A", extent("M", "N"), extent("N")),
                       in("B", extent("N", "K"), extent("K")),
                       out("C", extent("M", "K"), extent("K")),
                       integer("M"),
                       integer("N"),
                       integer("K")};
  problem.distributions = {Distribution::random, Distribution::outlier,
                           Distribution::alternating, Distribution::constant};
  problem.sizes = [](Tier tier) {
    return sizes_3d(tier, {{4096, 4096, 4096}, {8192, 6144, 4096}});
  };
  problem.empty_sizes = {{{"M", 0}, {"N", 4}, {"K", 4}},
                         {{"M", 4}, {"N", 4}, {"K", 0}}};
  problem.illegal = at_least_one({"M", "N", "K"});
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t inner = tried.parameters["N"],
                       cols = tried.parameters["K"];
    return std::vector<Reference>{by_rows(
        cols,
        [=, a = array(given, "A"), b = array(given, "B")](std::int64_t row) {
          SumRow sums(cols);
          for (std::int64_t n = 0; n < inner; ++n) {
            sums.add(a[row * inner + n], &b[n * cols]);
          }
          return sums;
        },
        [=](const SumRow& sums, std::int64_t, std::int64_t k) -> Expected {
          const double terms = static_cast<double>(inner);
          return {sums.sum[k],
                  bound_of(tried, product_sum_bound(terms, sums.magnitude[k]))};
        })};
  };
  problem.bound_text = "8 sqrt(N) u * sum|a*b|, u = 2^-24; integers: equal";
  problem.cost = [](const Parameters& at) {
    const double m = at.real("M"), n = at.real("N"), k = at.real("K");
    return Cost{4 * (m * n + n * k + m * k), 2 * m * n * k};
  };
  return problem;
}

std::vector<float> widened(const Buffer& buffer) {
  std::vector<float> values(buffer.size());
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    values[i] = static_cast<float>(buffer.value(i));
  }
  return values;
}

// fp32 accumulation on tensor cores, whose order and rounding are their own,
// then one rounding to fp16: (|c| + sum|a b|) * 2^-20 plus half an ulp, with
// everything scaled by alpha and beta.
Expected gemm_element(const Case& tried, double sum, double magnitude,
                      double old, double alpha, double beta) {
  const double value = alpha * sum + beta * old;
  const double before_rounding =
      0x1p-20 *
      (std::fabs(value) + std::fabs(alpha) * magnitude + std::fabs(beta * old));
  return {value,
          bound_of(tried, before_rounding +
                              half_ulp(ElementType::f16,
                                       std::fabs(value) + before_rounding))};
}

// A is M x K, B is K x N, C is M x N: K is the inner size.
Problem gemm_f16() {
  Problem problem;
  problem.name = "gemm_f16";
  problem.chapter = chapter;
  problem.title =
      "C (M x N) = alpha * A (M x K) times B (K x N) + beta * C, fp16 with "
      "fp32 sums";
  Argument c = out("C", extent("M", "N"), extent("N"), ElementType::f16);
  c.role = Role::inout;
  problem.arguments = {in("A", extent("M", "K"), extent("K"), ElementType::f16),
                       in("B", extent("K", "N"), extent("N"), ElementType::f16),
                       c,
                       integer("M"),
                       integer("N"),
                       integer("K"),
                       real("alpha"),
                       real("beta")};
  problem.distributions = {Distribution::random, Distribution::outlier,
                           Distribution::constant};
  problem.sizes = [](Tier tier) {
    // Scales that keep sums of integers exact in fp32.
    const bool bench = tier == Tier::bench;
    return with_scalars(
        sizes_3d(tier, {{4096, 4096, 4096}, {8192, 6144, 4096}}),
        {{"alpha", bench ? std::vector<double>{1}
                         : std::vector<double>{1, 1, 0.5, -1, 2}},
         {"beta", bench ? std::vector<double>{0}
                        : std::vector<double>{0, 1, 0.5, 2, -1}}});
  };
  problem.defaults = {{"alpha", 1}, {"beta", 0}};
  problem.empty_sizes = {
      {{"M", 0}, {"N", 4}, {"K", 4}, {"alpha", 1}, {"beta", 0}}};
  problem.illegal = at_least_one({"M", "N", "K"});
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t cols = tried.parameters["N"],
                       inner = tried.parameters["K"];
    const double alpha = scalar(tried.parameters, "alpha");
    const double beta = scalar(tried.parameters, "beta");
    const Buffer* const a = &given.find("A")->second;
    const Buffer* const old = &given.find("C")->second;
    return std::vector<Reference>{by_rows(
        cols,
        [=, b = widened(given.find("B")->second)](std::int64_t row) {
          SumRow sums(cols);
          for (std::int64_t k = 0; k < inner; ++k) {
            sums.add(a->value(row * inner + k), &b[k * cols]);
          }
          return sums;
        },
        [=](const SumRow& sums, std::int64_t row, std::int64_t column) {
          return gemm_element(tried, sums.sum[column], sums.magnitude[column],
                              old->value(row * cols + column), alpha, beta);
        })};
  };
  problem.bound_text =
      "2^-20 * (|c| + |alpha| sum|a*b| + |beta c_old|) + half an ulp of fp16; "
      "integers: equal to "
      "the sum rounded to fp16";
  problem.cost = [](const Parameters& at) {
    const double m = at.real("M"), n = at.real("N"), k = at.real("K");
    const double c_passes = at.real("beta") == 0 ? 1 : 2;
    return Cost{2 * (m * k + k * n + c_passes * m * n), 2 * m * n * k};
  };
  return problem;
}

}  // namespace

void add_matmul_problems(ProblemRegistry& registry) {
  registry.add(matmul());
  registry.add(gemm_f16());
}

}  // namespace ladder
