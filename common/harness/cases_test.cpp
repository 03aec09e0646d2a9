#include "common/harness/cases.hpp"
#include "common/harness/verdict.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

namespace ladder {

namespace {

// A problem of one input in rows of `cols`, to see what is drawn.
Problem one_input(ElementType type = ElementType::f32) {
  Problem problem;
  problem.name = "drawn";
  problem.arguments = {{"x", Role::in, type,
                        [](const Parameters& at) { return at["rows"] * at["cols"]; },
                        [](const Parameters& at) { return at["cols"]; }}};
  return problem;
}

Buffer drawn(Distribution distribution, std::uint64_t seed = 1, double rows = 10,
             double cols = 1000, ElementType type = ElementType::f32) {
  const Case tried{{{"rows", rows}, {"cols", cols}}, distribution, seed, ""};
  return make_inputs(one_input(type), tried).find("x")->second;
}

}  // namespace

TEST_CASE("a size that no memory holds is out of memory, and says what it wants") {
  try {
    drawn(Distribution::random, 1, 1e9, 1e9);
    FAIL("drawn");
  } catch (const Error& error) {
    CHECK(error.verdict() == Verdict::out_of_budget);
    CHECK_MESSAGE(std::string(error.what()).find("rows=1000000000 cols=1000000000 want 4e+09 GB") !=
                      std::string::npos,
                  error.what());
  }
}

TEST_CASE("a size outside the contract is refused with the reason") {
  Problem problem = one_input();
  problem.illegal = [](const Parameters&) { return std::optional<std::string>("too odd"); };
  CHECK_THROWS_WITH_AS(cases_at(problem, {{{"rows", 3}, {"cols", 1}}, {}}, 1),
                       "the size rows=3 cols=1 is outside the contract of drawn: too odd",
                       UsageError);
}

TEST_CASE("the generator's numbers never change") {
  CHECK(Generator(0, 0).bits(0) == 0xA706DD2F4D197E6F);
  CHECK(Generator(1, 0).bits(0) == 0x5E41AB087439611E);
  CHECK(Generator(1, 0).bits(1) == 0xF18D6CE93D6CF1EE);
  CHECK(Generator(1, 2).bits(12345) == 0xB36590E34C788DA2);
  CHECK(Generator(~std::uint64_t{0}, 3).bits(std::int64_t{1} << 32) == 0x7109553415CE1367);
  CHECK(Generator(0, 0).uniform(0) == 0x1.3836e8p-2f);
  CHECK(Generator(1, 2).uniform(12345) == 0x1.9b2c8p-2f);
}

TEST_CASE("random numbers fill [-1, 1) evenly") {
  const Generator generator(7, 0);
  double sum = 0, squares = 0;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const double x = generator.uniform(i);
    REQUIRE(x >= -1);
    REQUIRE(x < 1);
    sum += x;
    squares += x * x;
  }
  CHECK(std::fabs(sum / count) < 0.01);
  CHECK(squares / count == doctest::Approx(1.0 / 3).epsilon(0.02));
}

TEST_CASE("exact inputs are integers of all sizes and signs but zero") {
  std::set<float> seen;
  const Buffer buffer = drawn(Distribution::exact);
  for (const float x : buffer.f32()) seen.insert(x);
  CHECK(seen.size() == 2 * exact_magnitude);
  CHECK(*seen.begin() == -exact_magnitude);
  CHECK(seen.count(0) == 0);
}

TEST_CASE("a constant input is one value, another one in another stream") {
  const Buffer buffer = drawn(Distribution::constant);
  for (const float x : buffer.f32()) REQUIRE(x == buffer.f32()[0]);
  CHECK(buffer.f32()[0] != 0);
  std::set<float> values;
  for (unsigned stream = 0; stream < 20; ++stream) {
    values.insert(Generator(1, stream).draw(Distribution::constant, 0, 1));
  }
  CHECK(values.size() > 5);
}

TEST_CASE("outliers are few and far above the rest") {
  int outliers = 0;
  const Buffer buffer = drawn(Distribution::outlier);
  for (const float x : buffer.f32()) {
    const float size = std::fabs(x);
    REQUIRE((size <= 1.0f / 64 || (size >= 16 && size <= 32)));
    outliers += size >= 16 ? 1 : 0;
  }
  CHECK(outliers > 400);
  CHECK(outliers < 900);
}

TEST_CASE("alternating inputs cancel, and so do the products of two of them") {
  const Generator a(3, 0), b(3, 1);
  double sum = 0, products = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = a.draw(Distribution::alternating, i, 1000);
    const double y = b.draw(Distribution::alternating, i, 1000);
    REQUIRE(std::fabs(x) >= 999);
    sum += x;
    products += x * y;
  }
  CHECK(std::fabs(sum) < 200);
  CHECK(std::fabs(products) < 1e6);
}

TEST_CASE("a large offset has one sign in a case, and both signs occur") {
  std::set<bool> signs;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Buffer buffer = drawn(Distribution::large_offset, seed);
    const bool negative = buffer.f32()[0] < 0;
    signs.insert(negative);
    for (const float x : buffer.f32()) {
      REQUIRE(std::fabs(std::fabs(x) - 10'000) <= 1);
      REQUIRE((x < 0) == negative);
    }
  }
  CHECK(signs.size() == 2);
}

TEST_CASE("with -inf among the values every row begins with it and ends finite") {
  const Buffer buffer = drawn(Distribution::minus_infinity, 1, 7, 30);
  for (int row = 0; row < 7; ++row) {
    CHECK(std::isinf(buffer.f32()[row * 30]));
    CHECK(std::isfinite(buffer.f32()[row * 30 + 29]));
  }
  const Buffer column = drawn(Distribution::minus_infinity, 1, 50, 1);
  for (const float x : column.f32()) CHECK(std::isfinite(x));
}

TEST_CASE("16-bit inputs are the fp32 ones, rounded") {
  const Buffer narrow = drawn(Distribution::random, 5, 1, 1000, ElementType::f16);
  const Buffer wide = drawn(Distribution::random, 5, 1, 1000);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(std::fabs(narrow.value(i) - wide.value(i)) <= 0x1p-12);
  }
}

TEST_CASE("cases pair every size with exact inputs and every distribution with many sizes") {
  Problem problem = one_input();
  problem.distributions = {Distribution::random, Distribution::outlier, Distribution::constant};
  problem.sizes = [](Tier tier) { return sizes_1d(tier); };
  std::map<std::int64_t, int> exact;
  std::map<Distribution, int> real;
  for (const Case& tried : cases_of(problem, Tier::small, 1)) {
    if (tried.distribution == Distribution::exact) {
      ++exact[tried.parameters["N"]];
    } else {
      ++real[tried.distribution];
    }
  }
  CHECK(exact.size() == problem.sizes(Tier::small).size());
  CHECK(real.size() == 3);
  for (const auto& [distribution, count] : real) CHECK(count >= 3);
}

TEST_CASE("a size named by hand takes the defaults and perhaps one distribution") {
  Problem problem = one_input();
  problem.distributions = {Distribution::random, Distribution::outlier};
  problem.defaults = {{"eps", 0.5}, {"rows", 3}};
  const std::vector<Case> all = cases_at(problem, {{{"rows", 2}}, {}}, 1);
  REQUIRE(all.size() == 3);
  CHECK(all[0].distribution == Distribution::exact);
  CHECK(all[0].parameters.real("eps") == 0.5);
  CHECK(all[0].parameters["rows"] == 2);
  const std::vector<Case> one = cases_at(problem, {{{"rows", 2}}, Distribution::outlier}, 1);
  REQUIRE(one.size() == 1);
  CHECK(one[0].distribution == Distribution::outlier);
  // What the problem does not promise its solvers is no case.
  CHECK_THROWS_WITH_AS(cases_at(problem, {{{"rows", 2}}, Distribution::alternating}, 1),
                       doctest::Contains("never alternating; they are exact, random, outlier"),
                       UsageError);
}

TEST_CASE("full sizes contain the small ones, and bench sizes are drawn at random") {
  const auto small = sizes_1d(Tier::small), full = sizes_1d(Tier::full);
  CHECK(full.size() > small.size());
  CHECK(std::equal(small.begin(), small.end(), full.begin()));
  Problem problem = one_input();
  problem.sizes = [](Tier tier) { return sizes_1d(tier); };
  for (const Case& tried : cases_of(problem, Tier::bench, 1)) {
    CHECK(tried.distribution == Distribution::random);
  }
}

}  // namespace ladder
