// f32 and f64: everything IEEE 754 defines, bit for bit, and the approximations within PTX's
// bounds.
#include <cmath>

#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

// What the reference needs to know of F32 and F64.
template <class T>
constexpr Format format = sizeof(T) == 4 ? single_format : double_format;
template <class T>
constexpr u64 one = sizeof(T) == 4 ? 0x3f800000u : 0x3ff0000000000000u;

template <class T>
T made(u64 bits) {
  return {static_cast<decltype(T::bits)>(bits)};
}

// Into [0, 1]; NaN becomes +0.
template <class T>
u64 saturated(u64 bits) {
  if (is_nan(format<T>, bits) || compared(format<T>, bits, 0) <= 0) return 0;
  return compared(format<T>, bits, one<T>) > 0 ? one<T> : bits;
}

struct Variant {
  const char* suffix;
  Rounding rounding = Rounding::nearest;
  bool flush = false, saturate = false;
};
constexpr Variant single_variants[] = {
    {".rn.f32"},
    {".rn.ftz.f32", Rounding::nearest, true},
    {".rz.f32", Rounding::zero},
    {".rz.ftz.f32", Rounding::zero, true},
    {".rm.f32", Rounding::down},
    {".rm.ftz.f32", Rounding::down, true},
    {".rp.f32", Rounding::up},
    {".rp.ftz.f32", Rounding::up, true},
};
constexpr Variant saturated_variants[] = {
    {".rn.sat.f32", Rounding::nearest, false, true},
    {".rn.ftz.sat.f32", Rounding::nearest, true, true},
    {".rz.sat.f32", Rounding::zero, false, true},
    {".rz.ftz.sat.f32", Rounding::zero, true, true},
    {".rm.sat.f32", Rounding::down, false, true},
    {".rm.ftz.sat.f32", Rounding::down, true, true},
    {".rp.sat.f32", Rounding::up, false, true},
    {".rp.ftz.sat.f32", Rounding::up, true, true},
};
// The rounding may be left out of sums and products alone.
constexpr Variant unrounded_variants[] = {
    {".f32"},
    {".ftz.f32", Rounding::nearest, true},
    {".sat.f32", Rounding::nearest, false, true},
    {".ftz.sat.f32", Rounding::nearest, true, true},
};
constexpr Variant double_variants[] = {
    {".rn.f64"},
    {".rz.f64", Rounding::zero},
    {".rm.f64", Rounding::down},
    {".rp.f64", Rounding::up},
};

// Is a result of f32 subnormal before it loses bits for that? Seen in a format with more exponents.
template <class F, class... A>
bool is_tiny(Rounding rounding, F compute, A... a) {
  constexpr Format wide{11, 23};
  const u64 result =
      compute(wide, rounding, soft_convert(single_format, wide, a, Rounding::nearest)...);
  const u64 least = soft_convert(single_format, wide, 0x00800000, Rounding::nearest);
  return !is_nan(wide, result) && magnitude(wide, result) < least;
}

// compute(format, rounding, bits...) on flushed operands, flushed and saturated.
template <class T, class F, class... A>
T varied(const Variant& variant, F compute, A... a) {
  const auto flush = [&](u64 bits) { return variant.flush ? flushed(format<T>, bits) : bits; };
  u64 bits = compute(format<T>, variant.rounding, flush(a.bits)...);
  if (variant.flush && is_tiny(variant.rounding, compute, flush(a.bits)...))
    bits = is_negative(format<T>, bits) ? negated(format<T>, 0) : 0;
  if (variant.saturate) bits = saturated<T>(bits);
  return made<T>(bits);
}

template <class T>
void sums_and_products(ReferenceTable& table, const Variant& v) {
  const auto add = [](Format f, Rounding r, u64 a, u64 b) { return soft_add(f, a, b, r); };
  const auto subtract = [](Format f, Rounding r, u64 a, u64 b) {
    // A NaN keeps being one when its sign flips.
    return soft_add(f, a, negated(f, b), r);
  };
  const auto multiply = [](Format f, Rounding r, u64 a, u64 b) {
    return soft_multiply(f, a, b, r);
  };
  const std::string s = v.suffix;
  table.row("add" + s, [=](T a, T b) { return varied<T>(v, add, a, b); });
  table.row("sub" + s, [=](T a, T b) { return varied<T>(v, subtract, a, b); });
  table.row("mul" + s, [=](T a, T b) { return varied<T>(v, multiply, a, b); });
}

template <class T>
void fused(ReferenceTable& table, const Variant& v) {
  const auto fma = [](Format f, Rounding r, u64 a, u64 b, u64 c) {
    return soft_fma(f, a, b, c, r);
  };
  const std::string s = v.suffix;
  table.row("fma" + s, [=](T a, T b, T c) { return varied<T>(v, fma, a, b, c); });
  table.row("mad" + s, [=](T a, T b, T c) { return varied<T>(v, fma, a, b, c); });
}

template <class T>
void quotients_and_roots(ReferenceTable& table, const Variant& v) {
  const auto divide = [](Format f, Rounding r, u64 a, u64 b) { return soft_divide(f, a, b, r); };
  const auto reciprocal = [](Format f, Rounding r, u64 a) {
    const u64 bits = ((u64{1} << (f.exponent_bits - 1)) - 1) << f.fraction_bits;  // 1
    return soft_divide(f, bits, a, r);
  };
  const auto root = [](Format f, Rounding r, u64 a) { return soft_sqrt(f, a, r); };
  const std::string s = v.suffix;
  table.row("div" + s, [=](T a, T b) { return varied<T>(v, divide, a, b); });
  table.row("rcp" + s, [=](T a) { return varied<T>(v, reciprocal, a); });
  table.row("sqrt" + s, [=](T a) { return varied<T>(v, root, a); });
}

// A number wins over a NaN; -0 is less than +0.
template <class T>
u64 lesser(u64 a, u64 b, bool greater) {
  static constexpr Format f = format<T>;
  if (is_nan(f, a) && is_nan(f, b)) return canonical_nan(f);
  if (is_nan(f, a)) return b;
  if (is_nan(f, b)) return a;
  const int order = compared(f, a, b);
  const bool a_is_less = order < 0 || (order == 0 && is_negative(f, a));
  return a_is_less != greater ? a : b;
}
template <class T>
u64 lesser_or_nan(u64 a, u64 b, bool greater) {
  static constexpr Format f = format<T>;
  return is_nan(f, a) || is_nan(f, b) ? canonical_nan(f) : lesser<T>(a, b, greater);
}
u64 with_signs(u64 size, u64 a, u64 b) {
  return is_nan(single_format, size) ? size : size | ((a ^ b) & 0x80000000u);
}

void minima(ReferenceTable& table, const std::string& name, bool greater) {
  const auto plain = [=](F32 a, F32 b) { return made<F32>(lesser<F32>(a.bits, b.bits, greater)); };
  const auto ftz = [](F32 a) { return made<F32>(flushed(single_format, a.bits)); };
  const auto nan = [=](F32 a, F32 b) {
    return made<F32>(lesser_or_nan<F32>(a.bits, b.bits, greater));
  };
  const auto size = [](F32 a) { return magnitude(single_format, a.bits); };
  table.row(name + ".f32", plain);
  table.row(name + ".ftz.f32", [=](F32 a, F32 b) { return plain(ftz(a), ftz(b)); });
  table.row(name + ".NaN.f32", nan);
  table.row(name + ".ftz.NaN.f32", [=](F32 a, F32 b) { return nan(ftz(a), ftz(b)); });
  table.row(name + ".xorsign.abs.f32", [=](F32 a, F32 b) {
    return made<F32>(with_signs(lesser<F32>(size(a), size(b), greater), a.bits, b.bits));
  });
  table.row(name + ".NaN.xorsign.abs.f32", [=](F32 a, F32 b) {
    return made<F32>(with_signs(lesser_or_nan<F32>(size(a), size(b), greater), a.bits, b.bits));
  });
  table.row(name + ".ftz.xorsign.abs.f32", [=](F32 a, F32 b) {
    return made<F32>(with_signs(lesser<F32>(size(ftz(a)), size(ftz(b)), greater), a.bits, b.bits));
  });
  table.row(name + ".ftz.NaN.xorsign.abs.f32", [=](F32 a, F32 b) {
    return made<F32>(
        with_signs(lesser_or_nan<F32>(size(ftz(a)), size(ftz(b)), greater), a.bits, b.bits));
  });
  table.row(name + ".f64",
            [=](F64 a, F64 b) { return made<F64>(lesser<F64>(a.bits, b.bits, greater)); });
}

// `result`, unless `a` is a NaN: then what arithmetic makes of that.
u64 quieted(Format f, u64 a, u64 result) {
  if (!is_nan(f, a)) return result;
  return f.fraction_bits == 52 ? a | u64{1} << 51 : canonical_nan(f);
}

template <class T>
void signs_and_tests(ReferenceTable& table, const std::string& type) {
  static constexpr Format f = format<T>;
  constexpr u64 infinity = sizeof(T) == 4 ? 0x7f800000u : 0x7ff0000000000000u;
  const auto size = [](T a) { return magnitude(f, a.bits); };
  table.row("abs." + type, [=](T a) { return made<T>(quieted(f, a.bits, size(a))); });
  table.row("neg." + type, [](T a) { return made<T>(quieted(f, a.bits, negated(f, a.bits))); });
  table.row("copysign." + type, [=](T a, T b) {
    return made<T>(is_negative(f, a.bits) ? negated(f, size(b)) : size(b));
  });
  table.row("testp.finite." + type, [=](T a) { return size(a) < infinity; });
  table.row("testp.infinite." + type, [=](T a) { return size(a) == infinity; });
  table.row("testp.number." + type, [=](T a) { return size(a) <= infinity; });
  table.row("testp.notanumber." + type, [=](T a) { return size(a) > infinity; });
  table.row("testp.subnormal." + type, [](T a) { return is_subnormal(f, a.bits); });
  // A zero is normal.
  table.row("testp.normal." + type,
            [=](T a) { return size(a) < infinity && !is_subnormal(f, a.bits); });
}

}  // namespace

void add_float_references(ReferenceTable& table) {
  for (const Variant& variant : single_variants) {
    sums_and_products<F32>(table, variant);
    fused<F32>(table, variant);
    quotients_and_roots<F32>(table, variant);
  }
  for (const Variant& variant : double_variants) {
    sums_and_products<F64>(table, variant);
    fused<F64>(table, variant);
    quotients_and_roots<F64>(table, variant);
  }
  for (const Variant& variant : saturated_variants) {
    sums_and_products<F32>(table, variant);
    fused<F32>(table, variant);
  }
  for (const Variant& variant : unrounded_variants) sums_and_products<F32>(table, variant);
  sums_and_products<F64>(table, {".f64"});
  minima(table, "min", false);
  minima(table, "max", true);
  signs_and_tests<F32>(table, "f32");
  signs_and_tests<F64>(table, "f64");
  const auto ftz = [](F32 a) { return flushed(single_format, a.bits); };
  table.row("abs.ftz.f32", [=](F32 a) {
    return made<F32>(quieted(single_format, a.bits, magnitude(single_format, ftz(a))));
  });
  table.row("neg.ftz.f32", [=](F32 a) {
    return made<F32>(quieted(single_format, a.bits, negated(single_format, ftz(a))));
  });
}

}  // namespace ladder::emulator::opcodes
