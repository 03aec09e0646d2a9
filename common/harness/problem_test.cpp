#include "common/harness/problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

std::uint16_t bits_at(const Buffer& buffer, std::int64_t element) {
  std::uint16_t bits;
  std::memcpy(&bits, buffer.bytes().data() + 2 * element, 2);
  return bits;
}

Buffer every_pattern(ElementType type) {
  Buffer buffer(type, 65536);
  for (int pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    std::memcpy(buffer.bytes().data() + 2 * pattern, &bits, 2);
  }
  return buffer;
}

std::uint16_t rounded(ElementType type, double value) {
  Buffer one(type, 1);
  one.set(0, value);
  return bits_at(one, 0);
}

}  // namespace

TEST_CASE("every 16-bit pattern survives widening and rounding") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16}) {
    const Buffer all = every_pattern(type);
    Buffer back(type, 65536);
    for (int pattern = 0; pattern < 65536; ++pattern) {
      const double value = all.value(pattern);
      back.set(pattern, value);
      if (std::isnan(value)) {
        REQUIRE(std::isnan(back.value(pattern)));
      } else {
        REQUIRE(bits_at(back, pattern) == pattern);
      }
    }
  }
}

TEST_CASE("halfway between neighbours the even one wins, and just beside it the nearer one") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16}) {
    const Buffer all = every_pattern(type);
    const int infinity = type == ElementType::f16 ? 0x7C00 : 0x7F80;
    for (int pattern = 0; pattern + 1 < infinity; ++pattern) {
      const double low = all.value(pattern), high = all.value(pattern + 1);
      const double middle = low + (high - low) / 2;
      const int even = pattern % 2 == 0 ? pattern : pattern + 1;
      REQUIRE(rounded(type, middle) == even);
      REQUIRE(rounded(type, -middle) == (even | 0x8000));
      REQUIRE(rounded(type, std::nextafter(middle, low)) == pattern);
      REQUIRE(rounded(type, std::nextafter(middle, high)) == pattern + 1);
    }
  }
}

TEST_CASE("numbers beyond the largest become infinities only from half a step above it") {
  CHECK(rounded(ElementType::f16, 65519.99) == 0x7BFF);
  CHECK(rounded(ElementType::f16, 65520) == 0x7C00);
  CHECK(rounded(ElementType::f16, -1e300) == 0xFC00);
  CHECK(rounded(ElementType::bf16, 0x1.FEp127) == 0x7F7F);
  CHECK(rounded(ElementType::bf16, 0x1.FFp127) == 0x7F80);
  CHECK(rounded(ElementType::f16, 0x1p-26) == 0);
  CHECK(rounded(ElementType::f16, -0.0) == 0x8000);
}

TEST_CASE("a buffer refuses to be read as another type") {
  Buffer buffer(ElementType::f32, 3);
  CHECK(buffer.size() == 3);
  CHECK(buffer.f32().size() == 3);
  CHECK_THROWS_AS(buffer.i32(), std::logic_error);
  CHECK_THROWS_AS(Buffer(ElementType::i32, -1), std::logic_error);
}

TEST_CASE("parameters keep the order of the signature and integers as they are") {
  Parameters at = {{"M", 16}, {"alpha", 1.5}};
  at.set("N", 268435456.0);
  at.set("M", 17);
  CHECK(at.text() == "M=17 alpha=1.5 N=268435456");
  CHECK(at["N"] == 268435456);
  CHECK(at.real("alpha") == 1.5);
  CHECK(at.contains("N"));
  CHECK_FALSE(at.contains("K"));
}

TEST_CASE("a parameter that is missing or no integer is named") {
  const Parameters at = {{"N", 2.5}};
  CHECK_THROWS_WITH_AS(at["N"], "parameter 'N' is 2.5, which is not an integer", UsageError);
  const Parameters large = {{"N", 1e20}};
  CHECK_THROWS_WITH_AS(large["N"], "parameter 'N' is 1e+20, which is too large", UsageError);
  CHECK_THROWS_WITH_AS(at["K"], "no value for parameter 'K' in N=2.5: give one, as in K=64",
                       UsageError);
}

TEST_CASE("a case is described in words") {
  CHECK(Case{{{"N", 257}}, Distribution::random, 1, ""}.text() == "N = 257, random");
  CHECK(Case{{{"M", 2}, {"N", 3}}, Distribution::large_offset, 1, ""}.text() ==
        "M=2 N=3, large_offset");
}

TEST_CASE("a second problem of one name is a mistake of the course's") {
  ProblemRegistry registry;
  Problem problem;
  problem.name = "twice";
  registry.add(problem);
  CHECK_THROWS_AS(registry.add(problem), std::logic_error);
  CHECK(registry.find("twice") != nullptr);
  CHECK(registry.find("once") == nullptr);
  CHECK(registry.nearest("twcie") == "twice");
  CHECK(ProblemRegistry().nearest("anything").empty());
}

}  // namespace ladder
