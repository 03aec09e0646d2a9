// cvt between all types.
#include <algorithm>
#include <cmath>

#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

__extension__ using s128 = __int128;

struct Direction {
  const char* name;  // .rn, .rni
  Rounding rounding;
};
constexpr Direction directions[] = {
    {"n", Rounding::nearest}, {"z", Rounding::zero}, {"m", Rounding::down}, {"p", Rounding::up}};

template <class T>
struct Float;
template <>
struct Float<F16> {
  static constexpr Format format = half_format;
  static constexpr const char* name = "f16";
  static constexpr u64 one = 0x3c00;
};
template <>
struct Float<BF16> {
  static constexpr Format format = bfloat_format;
  static constexpr const char* name = "bf16";
  static constexpr u64 one = 0x3f80;
};
template <>
struct Float<F32> {
  static constexpr Format format = single_format;
  static constexpr const char* name = "f32";
  static constexpr u64 one = 0x3f800000;
};
template <>
struct Float<F64> {
  static constexpr Format format = double_format;
  static constexpr const char* name = "f64";
  static constexpr u64 one = 0x3ff0000000000000;
};

template <class T>
std::string name_of() {
  if constexpr (std::is_integral_v<T>) {
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
  } else {
    return Float<T>::name;
  }
}
template <class T>
T made(u64 bits) {
  return {static_cast<decltype(T::bits)>(bits)};
}
template <class T>
u64 saturated(u64 bits) {
  if (is_nan(Float<T>::format, bits) || compared(Float<T>::format, bits, 0) <= 0) return 0;
  return compared(Float<T>::format, bits, Float<T>::one) > 0 ? Float<T>::one : bits;
}

template <class To, class From>
void between_integers(ReferenceTable& table) {
  const std::string types = name_of<To>() + "." + name_of<From>();
  table.row("cvt." + types, [](From a) { return To(a); });
  // .sat is refused where nothing can be out of range.
  constexpr bool unsigned_grows = std::is_unsigned_v<From> && sizeof(To) > sizeof(From);
  if (std::is_same_v<To, From> || unsigned_grows ||
      (std::is_signed_v<From> && std::is_signed_v<To> && sizeof(To) > sizeof(From)))
    return;
  table.row("cvt.sat." + types, [](From a) {
    constexpr s128 end = s128(1) << (sizeof(To) * 8 - (std::is_signed_v<To> ? 1 : 0));
    return To(std::clamp<s128>(a, std::is_signed_v<To> ? -end : 0, end - 1));
  });
}

template <class To, class From>
void from_integer(ReferenceTable& table) {
  for (const Direction& direction : directions) {
    table.row(
        std::string("cvt.r") + direction.name + "." + name_of<To>() + "." + name_of<From>(),
        [=](From a) {
          const u64 size = a < 0 ? 0 - u64(s64(a)) : u64(a);
          return made<To>(soft_from_integer(Float<To>::format, a < 0, size, direction.rounding));
        });
  }
}

template <class To, class From>
void to_integer(ReferenceTable& table) {
  constexpr int width = int(sizeof(To) * 8);
  const u64 nan = std::is_same_v<From, F64> || width == 64 ? u64{1} << (width - 1) : 0;
  const auto convert = [=](u64 bits, Rounding rounding) {
    return To(
        soft_to_integer(Float<From>::format, bits, rounding, width, std::is_signed_v<To>, nan));
  };
  for (const Direction& direction : directions) {
    const std::string head = std::string("cvt.r") + direction.name + "i.";
    const std::string types = name_of<To>() + "." + name_of<From>();
    table.row(head + types, [=](From a) { return convert(a.bits, direction.rounding); });
    if (std::is_same_v<From, F32>)
      table.row(head + "ftz." + types, [=](From a) {
        return convert(flushed(Float<From>::format, a.bits), direction.rounding);
      });
  }
}

template <class T>
void with_integers(ReferenceTable& table) {
  between_integers<u8, T>(table);
  between_integers<u16, T>(table);
  between_integers<u32, T>(table);
  between_integers<u64, T>(table);
  between_integers<s8, T>(table);
  between_integers<s16, T>(table);
  between_integers<s32, T>(table);
  between_integers<s64, T>(table);
  from_integer<F16, T>(table);
  from_integer<F32, T>(table);
  from_integer<F64, T>(table);
  if constexpr (sizeof(T) > 1) {
    from_integer<BF16, T>(table);
    to_integer<T, F16>(table);
    to_integer<T, BF16>(table);
    to_integer<T, F32>(table);
    to_integer<T, F64>(table);
  }
}

// Of an f64, a NaN keeps its sign and the upper bits of its payload; a bf16 is the upper half of an
// f32 even then. Any other NaN becomes the canonical one.
template <class To, class From>
To between_floats(From a, Rounding rounding) {
  const Format to = Float<To>::format, from = Float<From>::format;
  if (is_nan(from, a.bits)) {
    if (std::is_same_v<From, BF16> && std::is_same_v<To, F32>) return made<To>(u64(a.bits) << 16);
    if (std::is_same_v<From, F64>) {
      const u64 infinity = ((u64{1} << to.exponent_bits) - 1) << to.fraction_bits;
      const u64 fraction = (u64(a.bits) | u64{1} << 51) & ((u64{1} << 52) - 1);
      const u64 bits = infinity | fraction >> (52 - to.fraction_bits);
      return made<To>(is_negative(from, a.bits) ? negated(to, bits) : bits);
    }
  }
  return made<To>(soft_convert(from, to, a.bits, rounding));
}

template <class To, class From>
void widened(ReferenceTable& table) {
  table.row("cvt." + name_of<To>() + "." + name_of<From>(),
            [](From a) { return between_floats<To>(a, Rounding::nearest); });
}
template <class To, class From>
void narrowed(ReferenceTable& table, bool all_directions) {
  const std::string types = name_of<To>() + "." + name_of<From>();
  for (const Direction& direction : directions) {
    const bool half_way =
        direction.rounding == Rounding::nearest || direction.rounding == Rounding::zero;
    if (!all_directions && !half_way) continue;
    table.row(std::string("cvt.r") + direction.name + "." + types,
              [=](From a) { return between_floats<To>(a, direction.rounding); });
  }
}

template <class T>
void to_integral(ReferenceTable& table) {
  const std::string types = name_of<T>() + "." + name_of<T>();
  for (const Direction& direction : directions) {
    const std::string head = std::string("cvt.r") + direction.name + "i.";
    const auto integral = [=](u64 a) {
      return soft_integral(Float<T>::format, a, direction.rounding);
    };
    table.row(head + types, [=](T a) { return made<T>(integral(a.bits)); });
    if (!std::is_same_v<T, F32>) continue;
    table.row(head + "ftz." + types,
              [=](T a) { return made<T>(integral(flushed(Float<T>::format, a.bits))); });
    table.row(head + "sat." + types, [=](T a) { return made<T>(saturated<T>(integral(a.bits))); });
  }
}

// cvt.rn.f16x2.f32 d, a, b: a in the upper half.
template <class Pair, class To>
void packed(ReferenceTable& table) {
  const auto convert = [](u64 a, Rounding rounding) {
    return u16(soft_convert(single_format, Float<To>::format, a, rounding));
  };
  const auto rectified = [](u16 a) {
    return !is_nan(Float<To>::format, a) && is_negative(Float<To>::format, a) ? u16(0) : a;
  };
  const std::string types = name_of<To>() + "x2.f32";
  for (const Direction& direction : {directions[0], directions[1]}) {
    const std::string head = std::string("cvt.r") + direction.name;
    const Rounding rounding = direction.rounding;
    table.row(head + "." + types, [=](F32 a, F32 b) {
      return Pair{convert(b.bits, rounding), convert(a.bits, rounding)};
    });
    table.row(head + ".relu." + types, [=](F32 a, F32 b) {
      return Pair{rectified(convert(b.bits, rounding)), rectified(convert(a.bits, rounding))};
    });
  }
}

// .satfinite: infinities and what overflows become the largest number.
template <class T>
u64 finite(u64 bits) {
  const u64 infinity = ((u64(1) << Float<T>::format.exponent_bits) - 1)
                       << Float<T>::format.fraction_bits;
  const bool is_infinite = magnitude(Float<T>::format, bits) == infinity;
  return is_infinite ? bits - 1 : bits;
}
template <class Pair, class To>
void finite_narrowed(ReferenceTable& table) {
  const auto relu = [](u64 a) {
    return !is_nan(Float<To>::format, a) && is_negative(Float<To>::format, a) ? u64(0) : a;
  };
  for (const Direction& direction : {directions[0], directions[1]}) {
    const auto convert = [=](F32 a) {
      return finite<To>(soft_convert(single_format, Float<To>::format, a.bits, direction.rounding));
    };
    const std::string head = std::string("cvt.r") + direction.name;
    const std::string type = name_of<To>();
    table.row(head + ".satfinite." + type + ".f32", [=](F32 a) { return made<To>(convert(a)); });
    table.row(head + ".satfinite." + type + "x2.f32", [=](F32 a, F32 b) {
      return Pair{u16(convert(b)), u16(convert(a))};
    });
    for (const char* const order : {".relu.satfinite.", ".satfinite.relu."}) {
      table.row(head + order + type + ".f32", [=](F32 a) { return made<To>(relu(convert(a))); });
      table.row(head + order + type + "x2.f32", [=](F32 a, F32 b) {
        return Pair{u16(relu(convert(b))), u16(relu(convert(a)))};
      });
    }
  }
}

// An 8-bit format by the values of its patterns.
struct Eight {
  const char* name;
  int fraction_bits, bias;
  u8 largest;
};
constexpr Eight eights[] = {{"e4m3", 3, 7, 0x7e}, {"e5m2", 2, 15, 0x7b}};

double value_of(const Eight& kind, int size) {
  const int exponent = size >> kind.fraction_bits;
  const int fraction = size & ((1 << kind.fraction_bits) - 1);
  const int whole = exponent == 0 ? fraction : fraction + (1 << kind.fraction_bits);
  return std::ldexp(whole, std::max(exponent, 1) - kind.bias - kind.fraction_bits);
}
// The nearest number, an even pattern of two; NaN is 0x7f.
u8 nearest(const Eight& kind, double value, bool relu) {
  if (value != value) return 0x7f;
  if (relu && std::signbit(value)) return 0;
  // Far above the largest, distances could no longer be told apart.
  const double wanted = std::min(std::fabs(value), 2 * value_of(kind, kind.largest));
  int best = 0;
  for (int size = 1; size <= kind.largest; ++size) {
    const double nearer = std::fabs(value_of(kind, best) - wanted);
    const double distance = std::fabs(value_of(kind, size) - wanted);
    if (distance < nearer || (distance == nearer && size % 2 == 0)) best = size;
  }
  return u8(best | (std::signbit(value) ? 0x80 : 0));
}
double as_double(Format from, u64 bits) {
  return std::bit_cast<double>(soft_convert(from, double_format, bits, Rounding::nearest));
}
void eight_bits(ReferenceTable& table, const Eight& kind) {
  const std::string type = std::string(kind.name) + "x2";
  for (const char* const modifiers : {"", "relu.satfinite.", "satfinite.relu."}) {
    const bool relu = *modifiers != 0;
    const std::string head = std::string("cvt.rn.") + (relu ? modifiers : "satfinite.");
    const auto pair = [=](double a, double b) {
      return u16(nearest(kind, a, relu) << 8 | nearest(kind, b, relu));
    };
    table.row(head + type + ".f32", [=](F32 a, F32 b) {
      return pair(as_double(single_format, a.bits), as_double(single_format, b.bits));
    });
    table.row(head + type + ".f16x2", [=](F16x2 a) {
      return pair(as_double(half_format, a.high), as_double(half_format, a.low));
    });
  }
  for (const bool relu : {false, true}) {
    const auto widened = [=](int bits) -> u16 {
      const int size = bits & 0x7f;
      const bool infinite = size == kind.largest + 1 && kind.fraction_bits == 2;
      if (size > kind.largest && !infinite) return 0x7fff;
      if (relu && (bits & 0x80) != 0) return 0;
      const double value = infinite ? INFINITY : value_of(kind, size);
      return u16(
          soft_convert(double_format, half_format, std::bit_cast<u64>(value), Rounding::nearest) |
          ((bits & 0x80) != 0 ? 0x8000u : 0u));
    };
    table.row(std::string(relu ? "cvt.rn.relu.f16x2." : "cvt.rn.f16x2.") + type, [=](u16 a) {
      return F16x2{widened(a & 0xff), widened(a >> 8)};
    });
  }
}

// tf32: an f32 without its last 13 bits.
void tf32(ReferenceTable& table) {
  constexpr Format format{8, 10};
  // Where it rounds away from zero, an H200 cuts a NaN short, and .satfinite counts it down.
  const auto row = [&](const std::string& modifiers, bool relu, bool is_finite, auto round) {
    table.row("cvt." + modifiers + ".tf32.f32", [=](F32 a) -> u32 {
      if (is_nan(single_format, a.bits) && !modifiers.starts_with("rna")) return 0x7fffe000;
      if (relu && is_negative(single_format, a.bits)) return 0;
      const u32 bits = round(a.bits);
      return is_finite && (bits & 0x7f800000) == 0x7f800000 ? bits - 0x2000 : bits;
    });
  };
  for (const Direction& direction : {directions[0], directions[1]}) {
    const auto round = [=](u32 bits) {
      return u32(soft_convert(single_format, format, bits, direction.rounding)) << 13;
    };
    const std::string head = std::string("r") + direction.name;
    row(head, false, false, round);
    row(head + ".relu", true, false, round);
    row(head + ".satfinite", false, true, round);
    row(head + ".satfinite.relu", true, true, round);
  }
  const auto away = [](u32 bits) {
    const u32 kept = bits & ~0x1fffu;
    return (bits & 0x1000) != 0 && !is_nan(single_format, bits) ? kept + 0x2000 : kept;
  };
  row("rna", false, false, away);
  row("rna.satfinite", false, true, away);
}

}  // namespace

void add_conversion_references(ReferenceTable& table) {
  finite_narrowed<F16x2, F16>(table);
  finite_narrowed<BF16x2, BF16>(table);
  for (const Eight& kind : eights) eight_bits(table, kind);
  tf32(table);
  with_integers<u8>(table);
  with_integers<u16>(table);
  with_integers<u32>(table);
  with_integers<u64>(table);
  with_integers<s8>(table);
  with_integers<s16>(table);
  with_integers<s32>(table);
  with_integers<s64>(table);
  widened<F64, F32>(table);
  widened<F64, F16>(table);
  widened<F32, F16>(table);
  widened<F32, BF16>(table);
  widened<F64, BF16>(table);
  narrowed<BF16, F64>(table, true);
  narrowed<BF16, F16>(table, true);
  narrowed<F16, BF16>(table, true);
  narrowed<F32, F64>(table, true);
  narrowed<F16, F32>(table, false);
  narrowed<F16, F64>(table, false);
  narrowed<BF16, F32>(table, false);
  to_integral<F16>(table);
  to_integral<F32>(table);
  to_integral<F64>(table);
  packed<F16x2, F16>(table);
  packed<BF16x2, BF16>(table);
  table.row("cvt.sat.f32.f32", [](F32 a) { return made<F32>(saturated<F32>(a.bits)); });
  table.row("cvt.ftz.f64.f32", [](F32 a) {
    return made<F64>(soft_convert(single_format, double_format, flushed(single_format, a.bits),
                                  Rounding::nearest));
  });
  table.row("cvt.rn.ftz.f32.f64", [](F64 a) {
    return made<F32>(flushed(single_format, between_floats<F32>(a, Rounding::nearest).bits));
  });
  table.row("cvt.rn.sat.f32.f64", [](F64 a) {
    return made<F32>(
        saturated<F32>(soft_convert(double_format, single_format, a.bits, Rounding::nearest)));
  });
}

}  // namespace ladder::emulator::opcodes
