// The reference itself against the host's f32, whose hardware is trusted.
#include "common/emulator/opcodes/soft_float.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

using namespace ladder::emulator::opcodes;

namespace {

std::uint64_t bits_of(float value) {
  return value != value ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
}
std::uint64_t bits_of(double value) {
  return value != value ? 0x7fffffffffffffff : std::bit_cast<std::uint64_t>(value);
}

constexpr std::pair<Rounding, int> modes[] = {{Rounding::nearest, FE_TONEAREST},
                                              {Rounding::zero, FE_TOWARDZERO},
                                              {Rounding::down, FE_DOWNWARD},
                                              {Rounding::up, FE_UPWARD}};

template <class T>
void agrees(Format format, std::uint64_t raw[3], Rounding rounding, int mode) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  volatile T a = std::bit_cast<T>(static_cast<Bits>(raw[0]));
  volatile T b = std::bit_cast<T>(static_cast<Bits>(raw[1]));
  volatile T c = std::bit_cast<T>(static_cast<Bits>(raw[2]));
  std::fesetround(mode);
  volatile T added = a + b, multiplied = a * b, divided = a / b;
  volatile T fused = std::fma(T(a), T(b), T(c)), root = std::sqrt(T(a));
  std::fesetround(FE_TONEAREST);
  CHECK(soft_add(format, raw[0], raw[1], rounding) == bits_of(T(added)));
  CHECK(soft_multiply(format, raw[0], raw[1], rounding) == bits_of(T(multiplied)));
  CHECK(soft_divide(format, raw[0], raw[1], rounding) == bits_of(T(divided)));
  CHECK(soft_fma(format, raw[0], raw[1], raw[2], rounding) == bits_of(T(fused)));
  CHECK(soft_sqrt(format, raw[0], rounding) == bits_of(T(root)));
}

}  // namespace

TEST_CASE("integer-only arithmetic agrees with the host in every rounding") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t raw[3];
    for (std::uint64_t& one : raw) one = random() & 0xffffffff;
    // Close exponents, so that sums cancel and round.
    if (round % 2 == 0) raw[1] = (raw[0] & 0xfc000000) ^ (raw[1] & 0x83ffffff);
    for (const auto& [rounding, mode] : modes) agrees<float>(single_format, raw, rounding, mode);
    for (std::uint64_t& one : raw) one = random();
    if (round % 2 == 0) raw[1] = (raw[0] & 0xff80000000000000) ^ (raw[1] & 0x807fffffffffffff);
    for (const auto& [rounding, mode] : modes) agrees<double>(double_format, raw, rounding, mode);
  }
}

TEST_CASE("conversions between formats round once") {
  CHECK(soft_convert(single_format, half_format, 0x477ff000, Rounding::nearest) == 0x7c00);
  CHECK(soft_convert(single_format, half_format, 0x477fefff, Rounding::nearest) == 0x7bff);
  CHECK(soft_convert(single_format, half_format, 0x33000000, Rounding::nearest) == 0);
  CHECK(soft_convert(single_format, half_format, 0x33000001, Rounding::nearest) == 1);
  CHECK(soft_convert(half_format, single_format, 1, Rounding::nearest) == 0x33800000);
  CHECK(soft_convert(single_format, bfloat_format, 0x3f808000, Rounding::nearest) == 0x3f80);
  CHECK(soft_convert(single_format, bfloat_format, 0x3f818000, Rounding::nearest) == 0x3f82);
}

TEST_CASE("conversions to integers clamp") {
  const auto to_s32 = [](float value, Rounding rounding) {
    return soft_to_integer(single_format, std::bit_cast<std::uint32_t>(value), rounding, 32, true,
                           0);
  };
  CHECK(to_s32(-2.5f, Rounding::nearest) == 0xfffffffe);
  CHECK(to_s32(-2.5f, Rounding::down) == 0xfffffffd);
  CHECK(to_s32(2.5f, Rounding::up) == 3);
  CHECK(to_s32(3e9f, Rounding::zero) == 0x7fffffff);
  CHECK(to_s32(-INFINITY, Rounding::zero) == 0x80000000);
  CHECK(soft_to_integer(single_format, 0xbf800000, Rounding::zero, 32, false, 0) == 0);
}
