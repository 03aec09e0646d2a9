// Problems of chapter 04: sums of products, and what is made of them.
#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "04_dot_product";
const std::vector<Distribution> every_product = {
    Distribution::random, Distribution::outlier, Distribution::alternating,
    Distribution::large_offset, Distribution::constant};

// Those of any vector, and those around which one block hands over to many, or
// a tile to the next.
void try_around_a_tile(Problem& problem) {
  problem.sizes = [of_any = problem.sizes](Tier tier) {
    std::vector<Parameters> sizes = of_any(tier);
    if (tier == Tier::bench) return sizes;
    for (const double elements : {8191, 8192, 8193, 16385}) {
      sizes.push_back({{"N", elements}});
    }
    return sizes;
  };
}

Problem of_two(std::string name, std::string title, ElementType type) {
  Problem problem = over_vectors(
      std::move(name), chapter, std::move(title),
      {in("A", extent("N"), {}, type), in("B", extent("N"), {}, type),
       out("result", one_element(), {}, type)},
      {.bench = {5, 1'000'000, 100'000'000}});
  problem.cost = per_element(2.0 * static_cast<double>(size_of(type)), 2);
  try_around_a_tile(problem);
  return problem;
}

// The sums of a*b, |a*b|, a*a and b*b over whole arrays of any type.
struct Products {
  double ab = 0, magnitude = 0, aa = 0, bb = 0;
};
Products products_of(const Buffer& a, const Buffer& b) {
  Products sums;
  const std::int64_t n = a.size();
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = a.value(i), y = b.value(i);
    sums.ab += x * y;
    sums.magnitude += std::fabs(x * y);
    sums.aa += x * x;
    sums.bb += y * y;
  }
  return sums;
}

// The only output, from the products of A and B.
template <typename F>
auto from_products(F f) {
  return [f](const Case& tried, const Inputs& given) {
    const Buffer* const a = &given.find("A")->second;
    const Buffer* const b = &given.find("B")->second;
    return std::vector<Reference>{
        single([=] { return f(tried, products_of(*a, *b)); })};
  };
}

Problem dot() {
  Problem problem = of_two("dot", "result[0] = sum of A * B", ElementType::f32);
  problem.distributions = every_product;
  problem.bounds = {"tight", "compensated"};
  problem.reference =
      from_products([](const Case& tried, const Products& sums) -> Expected {
        double bound = 0x1p-16 * sums.magnitude;
        if (tried.bound == "tight") bound = 32 * unit_roundoff * sums.magnitude;
        if (tried.bound == "compensated") {
          bound =
              4 * unit_roundoff * std::fabs(sums.ab) + 0x1p-40 * sums.magnitude;
        }
        return {sums.ab, bound_of(tried, bound)};
      });
  problem.bound_text =
      "2^-16 * sum|a*b| (tight: 32 u * sum|a*b|, u = 2^-24; compensated: 4 u * "
      "|result| + 2^-40 * "
      "sum|a*b|); integers: equal";
  return problem;
}

// Small enough that a dot product of 7e8 elements, all of one sign, stays below
// fp16's largest number, 65504.
// Products that all have one sign are what a sum kept in fp16 cannot bear.
void fill_half(const Case& tried, const Argument& argument,
               Generator& generator, Buffer& buffer) {
  const int largest_integer = buffer.size() > 1'000'000 ? 1 : 2;
  exact_up_to(largest_integer)(tried, argument, generator, buffer);
  double scale = 1;
  if (tried.distribution == Distribution::outlier) scale = 0x1p-4;
  if (tried.distribution == Distribution::large_offset) scale = 0x1p-20;
  if (scale == 1) return;
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    buffer.set(i, buffer.value(i) * scale);
  }
}

// Products and sums are to be fp32; only the result is rounded to fp16.
Problem dot_f16() {
  Problem problem =
      of_two("dot_f16", "dot of fp16 arrays, fp32 sums, fp16 result",
             ElementType::f16);
  problem.distributions = {Distribution::random, Distribution::outlier,
                           Distribution::large_offset};
  problem.fill = fill_half;
  problem.reference =
      from_products([](const Case& tried, const Products& sums) -> Expected {
        const double before_rounding = 0x1p-16 * sums.magnitude;
        return {sums.ab, bound_of(tried, before_rounding +
                                             half_ulp(ElementType::f16,
                                                      std::fabs(sums.ab) +
                                                          before_rounding))};
      });
  problem.bound_text =
      "2^-16 * sum|a*b| + half an ulp of the fp16 result; integers: equal to "
      "the sum rounded to "
      "fp16";
  return problem;
}

// Exact inputs: a square root or a scaling may round, so the bound is a quarter
// of what one lost element of size 1 changes, plus those roundings.
Problem l2_norm() {
  Problem problem =
      over_vectors("l2_norm", chapter, "output[0] = sqrt(sum of input^2)",
                   {in("input", extent("N")), out("output", one_element())},
                   {.bench = {100'000'000}});
  problem.distributions = every_product;
  problem.reference = [](const Case& tried, const Inputs& given) {
    const Buffer* const input = &given.find("input")->second;
    return std::vector<Reference>{single([=]() -> Expected {
      const double norm = std::sqrt(products_of(*input, *input).aa);
      const bool exact = tried.distribution == Distribution::exact;
      return {norm,
              exact ? 0.125 / norm + 8 * unit_roundoff * norm : 0x1p-16 * norm};
    })};
  };
  problem.bound_text =
      "2^-16 * norm; integers: 1 / (8 norm) + 8 u * norm, u = 2^-24";
  problem.cost = per_element(4, 2);
  try_around_a_tile(problem);
  return problem;
}

// Neither array may be zero everywhere. As for l2_norm, exact inputs leave room
// for the roundings of the quotient only.
Problem cosine() {
  Problem problem =
      of_two("cosine", "result[0] = A.B / (|A| |B|)", ElementType::f32);
  problem.distributions = every_product;
  problem.reference =
      from_products([](const Case& tried, const Products& sums) -> Expected {
        const double lengths = std::sqrt(sums.aa) * std::sqrt(sums.bb);
        const double value = sums.ab / lengths;
        if (tried.distribution == Distribution::exact) {
          return {value, 0.25 / lengths + 8 * unit_roundoff * std::fabs(value)};
        }
        return {value, 0x1p-16 * (sums.magnitude / lengths + std::fabs(value))};
      });
  problem.bound_text =
      "2^-16 * (sum|a*b| / (|A||B|) + |result|); integers: 1 / (4 |A||B|) + 8 "
      "u * |result|, u = "
      "2^-24";
  problem.cost = per_element(8, 6);
  return problem;
}

}  // namespace

void add_dot_product_problems(ProblemRegistry& registry) {
  registry.add(dot());
  registry.add(dot_f16());
  registry.add(l2_norm());
  registry.add(cosine());
}

}  // namespace ladder
