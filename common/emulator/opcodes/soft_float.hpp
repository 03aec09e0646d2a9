// IEEE arithmetic on bit patterns, in integers only: what the emulator's host floating point is
// compared with. Slow and plain; any format up to f64.
#pragma once

#include <cstdint>

namespace ladder::emulator::opcodes {

enum class Rounding { nearest, zero, down, up };

struct Format {
  int exponent_bits, fraction_bits;
};
inline constexpr Format half_format{5, 10}, bfloat_format{8, 7}, single_format{8, 23},
    double_format{11, 52};

// NaN results are the format's canonical one: sign clear, all other bits set.
std::uint64_t canonical_nan(Format format);
bool is_nan(Format format, std::uint64_t bits);
bool is_subnormal(Format format, std::uint64_t bits);
bool is_negative(Format format, std::uint64_t bits);
std::uint64_t magnitude(Format format, std::uint64_t bits);
std::uint64_t negated(Format format, std::uint64_t bits);
// Subnormals become zeros of their sign.
std::uint64_t flushed(Format format, std::uint64_t bits);
// -1, 0, 1; neither may be a NaN. -0 equals +0.
int compared(Format format, std::uint64_t a, std::uint64_t b);

std::uint64_t soft_add(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t soft_multiply(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding);
// a * b + c, rounded once.
std::uint64_t soft_fma(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       Rounding rounding);
std::uint64_t soft_divide(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t soft_sqrt(Format format, std::uint64_t a, Rounding rounding);
std::uint64_t soft_convert(Format from, Format to, std::uint64_t a, Rounding rounding);
// To an integral value in the same format.
std::uint64_t soft_integral(Format format, std::uint64_t a, Rounding rounding);
std::uint64_t soft_from_integer(Format to, bool negative, std::uint64_t magnitude,
                                Rounding rounding);
// Clamped to `width` bits, two's complement in the low bits; NaN: `nan_result`.
std::uint64_t soft_to_integer(Format from, std::uint64_t a, Rounding rounding, int width,
                              bool is_signed, std::uint64_t nan_result);

}  // namespace ladder::emulator::opcodes
