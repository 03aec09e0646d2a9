// Floating point narrower than f16, and tf32: the 8-bit formats as bit patterns, with conversions
// that round as PTX does. Their results are always finite or NaN (.satfinite).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/emulator/exec/half.hpp"

namespace ladder::emulator {

struct e4m3 {
  std::uint8_t bits;
};
struct e5m2 {
  std::uint8_t bits;
};

inline float to_float(e4m3 a) {
  const int exponent = (a.bits >> 3) & 15, fraction = a.bits & 7;
  if (exponent == 15 && fraction == 7) return std::bit_cast<float>(0x7fffffffu);
  const float size = exponent == 0
                         ? static_cast<float>(fraction) * 0x1p-9f
                         : std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 120) << 23 |
                                                static_cast<std::uint32_t>(fraction) << 20);
  return a.bits & 0x80 ? -size : size;
}
inline float to_float(e5m2 a) {
  return to_float(f16{static_cast<std::uint16_t>(a.bits << 8)});
}

// Rounds to nearest; what is too large becomes the largest number. `largest`: its pattern.
inline std::uint8_t narrow_to_8_bits(double value, int mantissa, int emin, std::uint8_t largest) {
  if (value != value) return 0x7f;
  const int sign = std::signbit(value) ? 0x80 : 0;
  // One exponent more than there is, so that rounding past the largest number shows.
  const std::uint16_t size = narrow(std::fabs(value), mantissa, emin, 16, Round::nearest);
  return static_cast<std::uint8_t>(sign | std::min<int>(size, largest));
}
inline e4m3 rounded_to(double value, e4m3) {
  return {narrow_to_8_bits(value, 3, -6, 0x7e)};
}
inline e5m2 rounded_to(double value, e5m2) {
  return {narrow_to_8_bits(value, 2, -14, 0x7b)};
}

namespace lane {

// d = {a, b}, a in the upper byte.
template <class T, bool Relu = false>
struct pack8 {
  static std::uint16_t pair(float a, float b) {
    if (Relu) {
      a = a < 0 ? 0.0f : a + 0.0f;  // -0 too; a NaN stays
      b = b < 0 ? 0.0f : b + 0.0f;
    }
    return static_cast<std::uint16_t>(rounded_to(double{a}, T{}).bits << 8 |
                                      rounded_to(double{b}, T{}).bits);
  }
  static std::uint16_t run(float a, float b) { return pair(a, b); }
  static std::uint16_t run(f16x2 a) { return pair(to_float(a.high), to_float(a.low)); }
};

template <class T, bool Relu = false>
struct unpack8 {
  static f16 one(std::uint8_t bits) {
    const float value = to_float(T{bits});
    const bool negative = value < 0 || (value == 0 && std::signbit(value));
    return Relu && negative ? f16{0} : to_f16(value);
  }
  static f16x2 run(std::uint16_t a) {
    return {one(static_cast<std::uint8_t>(a)), one(static_cast<std::uint8_t>(a >> 8))};
  }
};

// tf32: an f32 whose last 13 bits are zero. `increment` is added before they are dropped.
enum class Tf32 { nearest_even, nearest_away, zero };
template <Tf32 Rounding, bool Relu = false, bool Finite = false>
struct to_tf32 {
  static std::uint32_t run(float a) {
    const auto bits = std::bit_cast<std::uint32_t>(a);
    // An H200 has one NaN where it rounds to even or to zero, and cuts NaNs short where it rounds
    // away from zero.
    if (a != a && Rounding != Tf32::nearest_away) return 0x7fffe000u;
    if (Relu && (bits >> 31) != 0) return 0;
    const std::uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    const std::uint32_t increment = Rounding == Tf32::zero           ? 0
                                    : Rounding == Tf32::nearest_away ? 0x1000u
                                                                     : 0xfffu + ((size >> 13) & 1);
    std::uint32_t rounded = (size < 0x7f800000u ? size + increment : size) & ~0x1fffu;
    if (Finite && rounded >= 0x7f800000u) rounded -= 0x2000u;
    return sign | rounded;
  }
};

}  // namespace lane

}  // namespace ladder::emulator
