// Problems of chapter 05: every output depends on all inputs before it.
#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "05_prefix_sum";

// Scans must hold beyond one level of block sums, so even small cases go above
// 2^20.
Problem prefix(std::string name, std::string title,
               std::vector<Argument> arguments) {
  Problem problem = over_vectors(
      std::move(name), chapter, std::move(title), std::move(arguments),
      {.largest_small = 1'048'577, .bench = {250'000, 100'000'000}});
  problem.distributions = {Distribution::random, Distribution::alternating,
                           Distribution::outlier, Distribution::large_offset,
                           Distribution::constant};
  problem.bound_text =
      "2^-16 * sum|x| over the elements summed; integers: equal";
  problem.cost = per_element(8, 1);
  return problem;
}

struct Sum {
  double value = 0, magnitude = 0;
  void add(double x) {
    value += x;
    magnitude += std::fabs(x);
  }
  Expected expected(const Case& tried) const {
    return {value, bound_of(tried, 0x1p-16 * magnitude)};
  }
};

Problem scan() {
  Problem problem =
      prefix("scan", "output[i] = input[0] + ... + input[i]",
             {in("input", extent("N")), out("output", extent("N"))});
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{running<Sum>(
        [input = array(given, "input")](Sum& sum, std::int64_t i) {
          sum.add(input[i]);
        },
        [tried](const Sum& sum, std::int64_t) { return sum.expected(tried); })};
  };
  return problem;
}

Problem exclusive_scan() {
  Problem problem =
      prefix("exclusive_scan",
             "output[i] = input[0] + ... + input[i - 1]; output[0] = 0",
             {in("input", extent("N")), out("output", extent("N"))});
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{running<Sum>(
        [input = array(given, "input")](Sum& sum, std::int64_t i) {
          if (i > 0) sum.add(input[i - 1]);
        },
        [tried](const Sum& sum, std::int64_t) { return sum.expected(tried); })};
  };
  return problem;
}

// Segments of some 1 to 100 elements, and a long one at times; flags are 0 or
// 1, the first too.
void fill_segments(const Case& tried, const Argument& argument,
                   Generator& generator, Buffer& buffer) {
  if (argument.type != ElementType::i32) {
    fill_from_distribution(tried, argument, generator, buffer);
    return;
  }
  const std::span<std::int32_t> flags = buffer.i32();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool long_segment = (i / 3000) % 2 == 1;
    const std::uint64_t mean_length = long_segment ? 5000 : 20;
    flags[i] =
        generator.bits(static_cast<std::int64_t>(i)) % mean_length == 0 ? 1 : 0;
  }
}

Problem segmented_scan() {
  Problem problem = prefix(
      "segmented_scan",
      "an inclusive scan that starts anew wherever flags is 1",
      {in("input", extent("N")), in("flags", extent("N"), {}, ElementType::i32),
       out("output", extent("N"))});
  problem.fill = fill_segments;
  problem.reference = [](const Case& tried, const Inputs& given) {
    return std::vector<Reference>{running<Sum>(
        [input = array(given, "input"),
         flags = given.find("flags")->second.i32()](Sum& sum, std::int64_t i) {
          if (flags[i] != 0) sum = {};
          sum.add(input[i]);
        },
        [tried](const Sum& sum, std::int64_t) { return sum.expected(tried); })};
  };
  problem.cost = per_element(12, 1);
  return problem;
}

// Integers from -8 to 8 with zeros among them: zero is not kept.
void fill_with_zeros(const Case& tried, const Argument& argument,
                     Generator& generator, Buffer& buffer) {
  if (tried.distribution != Distribution::exact) {
    fill_from_distribution(tried, argument, generator, buffer);
    return;
  }
  const std::span<float> values = buffer.f32();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>(generator.bits(static_cast<std::int64_t>(i)) % 17) -
        8;
  }
}

// Position of the input element that is the latest output element.
struct Kept {
  std::int64_t position = -1;
};

Problem compact() {
  Problem problem =
      prefix("compact", "output = the elements of input above 0, in order",
             {in("input", extent("N")), out("output", extent("N")),
              out("count", one_element(), {}, ElementType::i32)});
  problem.distributions = {Distribution::random, Distribution::constant,
                           Distribution::alternating,
                           Distribution::large_offset};
  problem.fill = fill_with_zeros;
  problem.reference = [](const Case&, const Inputs& given) {
    const std::span<const float> input = array(given, "input");
    const std::int64_t n = static_cast<std::int64_t>(input.size());
    return std::vector<Reference>{
        running<Kept>(
            [=](Kept& kept, std::int64_t) {
              if (kept.position < n) ++kept.position;
              while (kept.position < n && !(input[kept.position] > 0))
                ++kept.position;
            },
            [=](const Kept& kept, std::int64_t) -> Expected {
              if (kept.position >= n) return {0, 0, true};
              return {input[kept.position]};
            }),
        single([=]() -> Expected {
          std::int64_t count = 0;
          for (const float x : input) count += x > 0 ? 1 : 0;
          return {static_cast<double>(count)};
        })};
  };
  problem.bound_text = "equal; output beyond *count is left open";
  problem.cost =
      per_element(6, 0);  // on random inputs half of the elements are kept
  return problem;
}

}  // namespace

void add_prefix_sum_problems(ProblemRegistry& registry) {
  registry.add(scan());
  registry.add(exclusive_scan());
  registry.add(compact());
  registry.add(segmented_scan());
}

}  // namespace ladder
