// 16-bit floating point: f16 and bf16 as bit patterns with conversions that round as PTX does.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace ladder::emulator {

struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct f16x2 {
  f16 low, high;
};
struct bf16x2 {
  bf16 low, high;
};

inline float to_float(f16 h) {
#ifdef __F16C__
  return _cvtsh_ss(h.bits);
#else
  const std::uint32_t sign = std::uint32_t{h.bits & 0x8000u} << 16;
  const std::uint32_t rest = h.bits & 0x7fffu;
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
  // 2^112 puts the exponent right, for subnormals too.
  const float value = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
#endif
}

inline float to_float(bf16 b) {
  return std::bit_cast<float>(std::uint32_t{b.bits} << 16);
}

enum class Round : std::uint8_t { nearest, zero, down, up };

// Rounds a double to a format of `mantissa` stored bits, smallest normal exponent `emin` and
// largest `emax`. Returns the 16-bit pattern. NaN becomes 0x7fff.
inline std::uint16_t narrow(double value, int mantissa, int emin, int emax, Round round,
                            bool saturate_finite = false) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const auto infinity = static_cast<std::uint16_t>((emax - emin + 2) << mantissa);
  if (magnitude > 0x7ff0000000000000u) return 0x7fff;
  if (magnitude == 0x7ff0000000000000u) {
    return static_cast<std::uint16_t>(sign | (saturate_finite ? infinity - 1 : infinity));
  }
  if (magnitude == 0) return sign;
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  std::uint64_t significand = magnitude & 0xfffffffffffffu;
  if (exponent == -1023) {
    exponent = -1022;
  } else {
    significand |= std::uint64_t{1} << 52;
  }
  int drop = 52 - mantissa + (exponent < emin ? emin - exponent : 0);
  if (drop > 63) drop = 63;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  std::uint64_t kept = significand >> drop;
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  switch (round) {
    case Round::nearest:
      kept += rest > half || (rest == half && (kept & 1));
      break;
    case Round::zero:
      break;
    case Round::down:
      kept += rest != 0 && sign != 0;
      break;
    case Round::up:
      kept += rest != 0 && sign == 0;
      break;
  }
  const std::uint64_t base =
      exponent < emin ? 0 : static_cast<std::uint64_t>(exponent - emin) << mantissa;
  const std::uint64_t result = base + kept;  // the hidden bit carries into the exponent
  if (result >= infinity) {
    const bool to_max = saturate_finite || round == Round::zero ||
                        (round == Round::down && sign == 0) || (round == Round::up && sign != 0);
    return static_cast<std::uint16_t>(sign | (to_max ? infinity - 1 : infinity));
  }
  return static_cast<std::uint16_t>(sign | result);
}

inline f16 to_f16(double value, Round round, bool saturate_finite = false) {
  return {narrow(value, 10, -14, 15, round, saturate_finite)};
}
inline bf16 to_bf16(double value, Round round, bool saturate_finite = false) {
  return {narrow(value, 7, -126, 127, round, saturate_finite)};
}

inline f16 to_f16(float value) {
#ifdef __F16C__
  if (value != value) return {0x7fff};
  return {static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))};
#else
  return to_f16(static_cast<double>(value), Round::nearest);
#endif
}

inline bf16 to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return {0x7fff};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace ladder::emulator
