#include "common/harness/cases.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "common/harness/counter_random.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

Generator::Generator(std::uint64_t seed, unsigned stream)
    : seed_(seed), stream_(stream), key_(counter_random::key(seed, stream)) {}

std::uint64_t Generator::bits(std::int64_t element) const {
  return counter_random::bits(key_, element);
}

float Generator::uniform(std::int64_t element) const {
  return counter_random::uniform(bits(element));
}

int Generator::integer(std::int64_t element, int magnitude) const {
  const std::uint64_t drawn = bits(element);
  const int size = 1 + static_cast<int>((drawn >> 8) % static_cast<std::uint64_t>(magnitude));
  return (drawn & 1) != 0 ? size : -size;
}

float Generator::draw(Distribution distribution, std::int64_t element,
                      std::int64_t row_length) const {
  switch (distribution) {
    case Distribution::exact:
      return static_cast<float>(integer(element, exact_magnitude));
    case Distribution::random:
      return uniform(element);
    case Distribution::constant:
      return static_cast<float>(integer(-1, 8)) / 8;
    case Distribution::outlier: {
      const std::uint64_t drawn = bits(element);
      const float value = counter_random::uniform(drawn);
      if (drawn % 16 != 0) return value / 64;
      return value < 0 ? -16 + 16 * value : 16 + 16 * value;
    }
    case Distribution::alternating: {
      const bool negative = ((stream_ % 2 == 0 ? element : element / 2) & 1) != 0;
      const float value = 1000 + uniform(element);
      return negative ? -value : value;
    }
    case Distribution::large_offset: {
      const bool negative = (counter_random::mix(seed_) & 1) != 0;
      return (negative ? -10000.0f : 10000.0f) + uniform(element);
    }
    case Distribution::minus_infinity: {
      const std::int64_t column = element % row_length;
      const bool infinite = column < row_length / 3 || bits(element) % 8 == 0;
      return infinite && column != row_length - 1 ? -std::numeric_limits<float>::infinity()
                                                  : uniform(element);
    }
  }
  return 0;
}

void fill_from_distribution(const Case& tried, const Argument& argument, Generator& generator,
                            Buffer& buffer) {
  const std::int64_t elements = buffer.size();
  const std::int64_t row_length =
      argument.row_length ? argument.row_length(tried.parameters) : elements;
  if (buffer.type() == ElementType::f32) {
    const std::span<float> values = buffer.f32();
    for (std::int64_t i = 0; i < elements; ++i) {
      values[i] = generator.draw(tried.distribution, i, row_length);
    }
    return;
  }
  for (std::int64_t i = 0; i < elements; ++i) {
    buffer.set(i, generator.draw(tried.distribution, i, row_length));
  }
}

namespace {

void require_memory(const Problem& problem, const Parameters& at) {
  double bytes = 0;  // in floating point: a legal size may want more than fits 64 bits
  for (const Argument& argument : problem.arguments) {
    if (argument.role == Role::scalar) continue;
    bytes += static_cast<double>(argument.extent(at)) * static_cast<double>(size_of(argument.type));
  }
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  char sizes[96];
  std::snprintf(sizes, sizeof sizes, "want %.3g GB, and this machine has %.3g GB", bytes * 1e-9,
                memory * 1e-9);
  throw Error(Verdict::out_of_budget,
              "out of memory: the arrays of " + problem.name + " at " + at.text() + " " + sizes);
}

}  // namespace

Fill exact_up_to(int magnitude) {
  return [magnitude](const Case& tried, const Argument& argument, Generator& generator,
                     Buffer& buffer) {
    if (tried.distribution != Distribution::exact) {
      fill_from_distribution(tried, argument, generator, buffer);
      return;
    }
    for (std::int64_t i = 0; i < buffer.size(); ++i) {
      buffer.set(i, generator.integer(i, magnitude));
    }
  };
}

Inputs make_inputs(const Problem& problem, const Case& tried) {
  require_memory(problem, tried.parameters);
  Inputs inputs;
  for (std::size_t index = 0; index < problem.arguments.size(); ++index) {
    const Argument& argument = problem.arguments[index];
    if (argument.role != Role::in && argument.role != Role::inout) continue;
    Buffer buffer(argument.type, argument.extent(tried.parameters));
    Generator generator(tried.seed, static_cast<unsigned>(index));
    (problem.fill ? problem.fill : fill_from_distribution)(tried, argument, generator, buffer);
    inputs.emplace(argument.name, std::move(buffer));
  }
  return inputs;
}

std::vector<Case> cases_of(const Problem& problem, Tier tier, std::uint64_t seed) {
  const std::vector<Parameters> sizes = problem.sizes(tier);
  const std::vector<Distribution>& real = problem.distributions;
  std::vector<Case> cases;
  std::size_t turn = 0;
  const auto add = [&](const Parameters& parameters, Distribution distribution) {
    cases.push_back({parameters, distribution, seed + cases.size(), ""});
  };
  // Each round starts one further on, so that no distribution keeps meeting the same kind of size.
  const auto add_real = [&](const Parameters& parameters) {
    add(parameters, real[(turn + turn / real.size()) % real.size()]);
    ++turn;
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (tier == Tier::bench) {
      add(sizes[i], Distribution::random);
    } else if (!problem.has_exact) {
      add_real(sizes[i]);
      if (real.size() > 1) add_real(sizes[i]);
    } else {
      add(sizes[i], Distribution::exact);
      if (i % 2 == 1 || i + 1 == sizes.size()) add_real(sizes[i]);
    }
  }
  return cases;
}

Parameters legal_size(const Problem& problem, const Parameters& wanted) {
  Parameters at = wanted;
  for (const auto& [name, value] : problem.defaults.entries()) {
    if (!at.contains(name)) at.set(name, value);
  }
  const std::optional<std::string> why =
      problem.illegal ? problem.illegal(at) : std::optional<std::string>();
  if (why)
    throw UsageError("the size " + at.text() + " is outside the contract of " + problem.name +
                     ": " + *why);
  return at;
}

std::vector<Case> cases_at(const Problem& problem, const CaseSelector& wanted, std::uint64_t seed) {
  const Parameters parameters = legal_size(problem, wanted.parameters);
  std::vector<Distribution> distributions = problem.distributions;
  if (problem.has_exact) distributions.insert(distributions.begin(), Distribution::exact);
  if (wanted.distribution) {
    if (std::find(distributions.begin(), distributions.end(), *wanted.distribution) ==
        distributions.end()) {
      std::vector<std::string> names;
      for (const Distribution known : distributions) names.emplace_back(name_of(known));
      throw UsageError("the inputs of " + problem.name + " are never " +
                       std::string(name_of(*wanted.distribution)) + "; they are " +
                       join(names, ", "));
    }
    distributions = {*wanted.distribution};
  }
  std::vector<Case> cases;
  for (const Distribution distribution : distributions) {
    cases.push_back({parameters, distribution, seed + cases.size(), ""});
  }
  return cases;
}

std::vector<Parameters> sizes_1d(Tier tier, const Sizes1D& sizes) {
  std::vector<std::int64_t> lengths;
  if (tier == Tier::bench) {
    lengths = sizes.bench;
  } else {
    lengths = {1,   2,   3,   4,   5,   7,   31,  32,  33,   63,   64,   65,    127,
               128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4'099, 70'001};
    if (sizes.largest_small > lengths.back()) lengths.push_back(sizes.largest_small);
  }
  if (tier == Tier::full) {
    for (const std::int64_t length :
         {65'535, 65'536, 65'537, 1'000'000, 1'048'575, 1'048'576, 1'048'577, 10'000'019}) {
      lengths.push_back(length);
    }
  }
  std::vector<Parameters> list;
  for (const std::int64_t length : lengths) {
    list.push_back({{"N", static_cast<double>(length)}});
  }
  return list;
}

std::vector<Parameters> sizes_2d(Tier tier, const std::string& rows, const std::string& cols,
                                 const std::vector<Rectangle>& bench) {
  std::vector<Rectangle> rectangles = bench;
  if (tier != Tier::bench) {
    rectangles = {{1, 1},     {1, 7},    {7, 1},    {2, 3},     {4, 4},    {31, 33},
                  {32, 32},   {33, 31},  {16, 65},  {65, 16},   {64, 128}, {17, 129},
                  {129, 127}, {1, 1025}, {1023, 1}, {257, 255}, {264, 256}};
  }
  if (tier == Tier::full) {
    const std::vector<Rectangle> large = {{1, 100'003}, {100'003, 1}, {1000, 1003},
                                          {2048, 2048}, {4001, 3999}, {3, 65'537}};
    rectangles.insert(rectangles.end(), large.begin(), large.end());
  }
  std::vector<Parameters> list;
  for (const Rectangle& rectangle : rectangles) {
    list.push_back(
        {{rows, static_cast<double>(rectangle.rows)}, {cols, static_cast<double>(rectangle.cols)}});
  }
  return list;
}

std::vector<Parameters> sizes_3d(Tier tier, const std::vector<Box>& bench) {
  std::vector<Box> boxes = bench;
  if (tier != Tier::bench) {
    boxes = {{1, 1, 1},     {1, 17, 1},     {2, 3, 4},      {7, 5, 3},     {4, 8, 4},
             {16, 16, 16},  {17, 16, 15},   {15, 33, 17},   {32, 32, 32},  {31, 33, 32},
             {33, 31, 65},  {64, 64, 64},   {65, 63, 33},   {1, 128, 129}, {129, 1, 64},
             {128, 129, 1}, {64, 128, 128}, {127, 130, 129}};
  }
  if (tier == Tier::full) {
    const std::vector<Box> large = {
        {256, 256, 256}, {511, 513, 257}, {1, 4096, 4097}, {1000, 3, 1001}, {1024, 640, 768}};
    boxes.insert(boxes.end(), large.begin(), large.end());
  }
  std::vector<Parameters> list;
  for (const Box& box : boxes) {
    list.push_back({{"M", static_cast<double>(box.m)},
                    {"N", static_cast<double>(box.n)},
                    {"K", static_cast<double>(box.k)}});
  }
  return list;
}

}  // namespace ladder
