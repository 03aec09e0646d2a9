#include "common/emulator/opcodes/soft_float.hpp"

#include <algorithm>
#include <utility>

namespace ladder::emulator::opcodes {
namespace {

__extension__ using u128 = unsigned __int128;

// sign * mantissa * 2^exponent, exactly.
struct Number {
  bool nan = false, infinite = false, negative = false;
  int exponent = 0;
  u128 mantissa = 0;
};

int bit_length(u128 value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

int bias(Format format) {
  return (1 << (format.exponent_bits - 1)) - 1;
}
int sign_shift(Format format) {
  return format.exponent_bits + format.fraction_bits;
}
std::uint64_t exponent_ones(Format format) {
  return (std::uint64_t{1} << format.exponent_bits) - 1;
}
std::uint64_t infinity(Format format) {
  return exponent_ones(format) << format.fraction_bits;
}
std::uint64_t sign_bit(Format format, bool negative) {
  return static_cast<std::uint64_t>(negative) << sign_shift(format);
}

Number unpacked(Format format, std::uint64_t bits) {
  Number number;
  number.negative = is_negative(format, bits);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const std::uint64_t field = (bits >> format.fraction_bits) & exponent_ones(format);
  number.nan = field == exponent_ones(format) && fraction != 0;
  number.infinite = field == exponent_ones(format) && fraction == 0;
  number.mantissa = field == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction_bits;
  number.exponent =
      static_cast<int>(std::max<std::uint64_t>(field, 1)) - bias(format) - format.fraction_bits;
  return number;
}

// Whether to add one to the kept bits.
bool rounds_up(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::nearest:
      return half && (rest || odd);
    case Rounding::zero:
      return false;
    case Rounding::down:
      return negative && (half || rest);
    default:
      return !negative && (half || rest);
  }
}

// Drops `shift` low bits, rounding; `sticky`: there were bits below already.
u128 shifted(u128 mantissa, int shift, bool sticky, bool negative, Rounding rounding) {
  if (shift <= 0) return mantissa << -shift;
  const u128 kept = shift > 127 ? 0 : mantissa >> shift;
  const bool half = shift <= 128 && (mantissa >> (shift - 1) & 1) != 0;
  const u128 below = shift > 128 ? mantissa : mantissa & ((u128{1} << (shift - 1)) - 1);
  return kept +
         (rounds_up(rounding, negative, (kept & 1) != 0, half, below != 0 || sticky) ? 1 : 0);
}

std::uint64_t packed(Format format, const Number& number, bool sticky, Rounding rounding) {
  if (number.nan) return canonical_nan(format);
  const std::uint64_t sign = sign_bit(format, number.negative);
  if (number.infinite) return sign | infinity(format);
  if (number.mantissa == 0) return sign;
  const int precision = format.fraction_bits + 1;
  const int lowest = 1 - bias(format) - format.fraction_bits;  // of a subnormal's last bit
  int exponent = std::max(number.exponent + bit_length(number.mantissa) - precision, lowest);
  u128 kept =
      shifted(number.mantissa, exponent - number.exponent, sticky, number.negative, rounding);
  if (kept >> precision != 0) {
    kept >>= 1;
    ++exponent;
  }
  if (kept >> (precision - 1) == 0) return sign | static_cast<std::uint64_t>(kept);
  const auto field = static_cast<std::uint64_t>(exponent - lowest + 1);
  if (field >= exponent_ones(format)) {
    const bool to_infinity = rounding == Rounding::nearest ||
                             (rounding == Rounding::down && number.negative) ||
                             (rounding == Rounding::up && !number.negative);
    return sign | (to_infinity ? infinity(format) : infinity(format) - 1);
  }
  const std::uint64_t fraction =
      static_cast<std::uint64_t>(kept) & ((std::uint64_t{1} << format.fraction_bits) - 1);
  return sign | field << format.fraction_bits | fraction;
}

// The top bit of the mantissa moves to bit 125; zero stays.
Number normalized(Number number) {
  if (number.mantissa == 0) return number;
  const int shift = 126 - bit_length(number.mantissa);
  number.mantissa <<= shift;
  number.exponent -= shift;
  return number;
}

std::uint64_t sum(Format format, Number a, Number b, Rounding rounding) {
  if (a.nan || b.nan || (a.infinite && b.infinite && a.negative != b.negative))
    return canonical_nan(format);
  if (a.infinite) return packed(format, a, false, rounding);
  if (b.infinite) return packed(format, b, false, rounding);
  if (a.mantissa == 0 && b.mantissa == 0) {
    const bool negative = a.negative == b.negative ? a.negative : rounding == Rounding::down;
    return sign_bit(format, negative);
  }
  if (a.mantissa == 0) return packed(format, b, false, rounding);
  if (b.mantissa == 0) return packed(format, a, false, rounding);
  a = normalized(a);
  b = normalized(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa))
    std::swap(a, b);
  const int distance = a.exponent - b.exponent;
  // The lost bits of the smaller one survive as a last bit that is set.
  const u128 lost = distance > 127 ? b.mantissa : b.mantissa & ((u128{1} << distance) - 1);
  const u128 small = (distance > 127 ? 0 : b.mantissa >> distance) | (lost != 0 ? 1 : 0);
  if (a.negative == b.negative) {
    a.mantissa += small;
  } else {
    a.mantissa -= small;
    if (a.mantissa == 0) a.negative = rounding == Rounding::down;
  }
  return packed(format, a, false, rounding);
}

Number product(const Number& a, const Number& b) {
  Number result;
  result.negative = a.negative != b.negative;
  const bool a_zero = !a.infinite && a.mantissa == 0, b_zero = !b.infinite && b.mantissa == 0;
  result.nan = a.nan || b.nan || (a.infinite && b_zero) || (b.infinite && a_zero);
  result.infinite = !result.nan && (a.infinite || b.infinite);
  result.mantissa = a.mantissa * b.mantissa;
  result.exponent = a.exponent + b.exponent;
  return result;
}

u128 square_root(u128 value) {
  u128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const u128 next = root | u128{1} << bit;
    if (next * next <= value) root = next;
  }
  return root;
}

}  // namespace

std::uint64_t canonical_nan(Format format) {
  return (std::uint64_t{1} << sign_shift(format)) - 1;
}
bool is_negative(Format format, std::uint64_t bits) {
  return (bits >> sign_shift(format) & 1) != 0;
}
std::uint64_t magnitude(Format format, std::uint64_t bits) {
  return bits & ((std::uint64_t{1} << sign_shift(format)) - 1);
}
std::uint64_t negated(Format format, std::uint64_t bits) {
  return bits ^ sign_bit(format, true);
}
bool is_nan(Format format, std::uint64_t bits) {
  return magnitude(format, bits) > infinity(format);
}
bool is_subnormal(Format format, std::uint64_t bits) {
  const std::uint64_t size = magnitude(format, bits);
  return size != 0 && size >> format.fraction_bits == 0;
}
std::uint64_t flushed(Format format, std::uint64_t bits) {
  return is_subnormal(format, bits) ? sign_bit(format, is_negative(format, bits)) : bits;
}

int compared(Format format, std::uint64_t a, std::uint64_t b) {
  const auto key = [&](std::uint64_t bits) {
    const auto size = static_cast<std::int64_t>(magnitude(format, bits));
    return is_negative(format, bits) ? -size : size;
  };
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

std::uint64_t soft_add(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
  return sum(format, unpacked(format, a), unpacked(format, b), rounding);
}

std::uint64_t soft_multiply(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
  return packed(format, product(unpacked(format, a), unpacked(format, b)), false, rounding);
}

std::uint64_t soft_fma(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       Rounding rounding) {
  return sum(format, product(unpacked(format, a), unpacked(format, b)), unpacked(format, c),
             rounding);
}

std::uint64_t soft_divide(Format format, std::uint64_t a, std::uint64_t b, Rounding rounding) {
  const Number over = unpacked(format, a), under = unpacked(format, b);
  Number result;
  result.negative = over.negative != under.negative;
  const bool over_zero = !over.infinite && over.mantissa == 0;
  const bool under_zero = !under.infinite && under.mantissa == 0;
  result.nan =
      over.nan || under.nan || (over.infinite && under.infinite) || (over_zero && under_zero);
  result.infinite = over.infinite || under_zero;
  if (result.nan || result.infinite || under.infinite || over_zero)
    return packed(format, result, false, rounding);
  const Number wide = normalized(over);
  result.mantissa = wide.mantissa / under.mantissa;
  result.exponent = wide.exponent - under.exponent;
  return packed(format, result, wide.mantissa % under.mantissa != 0, rounding);
}

std::uint64_t soft_sqrt(Format format, std::uint64_t a, Rounding rounding) {
  Number number = unpacked(format, a);
  const bool zero = !number.infinite && !number.nan && number.mantissa == 0;
  if (number.negative && !zero) number.nan = true;
  if (number.nan || number.infinite || zero) return packed(format, number, false, rounding);
  number = normalized(number);
  if (number.exponent % 2 != 0) {
    number.mantissa <<= 1;
    --number.exponent;
  }
  Number root;
  root.mantissa = square_root(number.mantissa);
  root.exponent = number.exponent / 2;
  return packed(format, root, root.mantissa * root.mantissa != number.mantissa, rounding);
}

std::uint64_t soft_convert(Format from, Format to, std::uint64_t a, Rounding rounding) {
  return packed(to, unpacked(from, a), false, rounding);
}

std::uint64_t soft_integral(Format format, std::uint64_t a, Rounding rounding) {
  Number number = unpacked(format, a);
  if (number.nan || number.infinite || number.exponent >= 0)
    return packed(format, number, false, rounding);
  number.mantissa = shifted(number.mantissa, -number.exponent, false, number.negative, rounding);
  number.exponent = 0;
  return packed(format, number, false, Rounding::nearest);
}

std::uint64_t soft_from_integer(Format to, bool negative, std::uint64_t magnitude,
                                Rounding rounding) {
  Number number;
  number.negative = negative;
  number.mantissa = magnitude;
  return packed(to, number, false, rounding);
}

std::uint64_t soft_to_integer(Format from, std::uint64_t a, Rounding rounding, int width,
                              bool is_signed, std::uint64_t nan_result) {
  const Number number = unpacked(from, a);
  if (number.nan) return nan_result;
  const u128 positive_limit = (u128{1} << (is_signed ? width - 1 : width)) - 1;
  const u128 limit = number.negative ? (is_signed ? positive_limit + 1 : 0) : positive_limit;
  u128 whole = limit;
  if (!number.infinite && number.exponent <= 70) {
    whole = shifted(number.mantissa, -number.exponent, false, number.negative, rounding);
    whole = std::min(whole, limit);
  } else if (!number.infinite && number.mantissa == 0) {
    whole = 0;
  }
  const auto bits = static_cast<std::uint64_t>(number.negative ? 0 - whole : whole);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

}  // namespace ladder::emulator::opcodes
