// f16 and bf16, single and packed: rounded once from the exact result.
#include <cmath>

#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

struct HalfKind {
  Format format;
  u16 one;
};
constexpr HalfKind half{half_format, 0x3c00}, bfloat{bfloat_format, 0x3f80};

u16 saturated(HalfKind kind, u64 bits) {
  if (is_nan(kind.format, bits) || compared(kind.format, bits, 0) <= 0) return 0;
  return compared(kind.format, bits, kind.one) > 0 ? kind.one : u16(bits);
}
// Negative results and -0 become +0; a NaN stays one.
u16 rectified(HalfKind kind, u64 bits) {
  if (is_nan(kind.format, bits)) return u16(canonical_nan(kind.format));
  return is_negative(kind.format, bits) ? 0 : u16(bits);
}
u16 lesser(HalfKind kind, u64 a, u64 b, bool greater, bool nan_wins) {
  const Format f = kind.format;
  if (is_nan(f, a) && is_nan(f, b)) return u16(canonical_nan(f));
  if (is_nan(f, a)) return u16(nan_wins ? canonical_nan(f) : b);
  if (is_nan(f, b)) return u16(nan_wins ? canonical_nan(f) : a);
  const int order = compared(f, a, b);
  const bool a_is_less = order < 0 || (order == 0 && is_negative(f, a));
  return u16(a_is_less != greater ? a : b);
}

// The lesser magnitude with both signs multiplied; a NaN keeps its own.
u16 lesser_with_signs(HalfKind kind, u64 a, u64 b, bool greater, bool nan_wins) {
  const Format f = kind.format;
  const u16 size = lesser(kind, magnitude(f, a), magnitude(f, b), greater, nan_wins);
  return is_nan(f, size) ? size : u16(size | ((a ^ b) & 0x8000));
}

// One row for the single type and one for the pair, from a function of bits.
template <class Single, class Pair>
class Rows {
 public:
  Rows(ReferenceTable& table, std::string type) : table_(table), type_(std::move(type)) {}

  template <class F>
  void unary(const std::string& head, F function) {
    table_.row(head + type_, [=](Single a) { return Single{u16(function(a.bits))}; });
    table_.row(head + type_ + "x2", [=](Pair a) {
      return Pair{u16(function(a.low)), u16(function(a.high))};
    });
  }
  template <class F>
  void binary(const std::string& head, F function) {
    table_.row(head + type_,
               [=](Single a, Single b) { return Single{u16(function(a.bits, b.bits))}; });
    table_.row(head + type_ + "x2", [=](Pair a, Pair b) {
      return Pair{u16(function(a.low, b.low)), u16(function(a.high, b.high))};
    });
  }
  template <class F>
  void ternary(const std::string& head, F function) {
    table_.row(head + type_, [=](Single a, Single b, Single c) {
      return Single{u16(function(a.bits, b.bits, c.bits))};
    });
    table_.row(head + type_ + "x2", [=](Pair a, Pair b, Pair c) {
      return Pair{u16(function(a.low, b.low, c.low)), u16(function(a.high, b.high, c.high))};
    });
  }

 private:
  ReferenceTable& table_;
  std::string type_;
};

template <class Single, class Pair>
void arithmetic(Rows<Single, Pair> rows, HalfKind kind) {
  const Format f = kind.format;
  const auto add = [=](u64 a, u64 b) { return soft_add(f, a, b, Rounding::nearest); };
  const auto subtract = [=](u64 a, u64 b) { return add(a, negated(f, b)); };
  const auto multiply = [=](u64 a, u64 b) { return soft_multiply(f, a, b, Rounding::nearest); };
  const auto fma = [=](u64 a, u64 b, u64 c) { return soft_fma(f, a, b, c, Rounding::nearest); };
  for (const std::string& rounding : {std::string("."), std::string(".rn.")}) {
    rows.binary("add" + rounding, add);
    rows.binary("sub" + rounding, subtract);
    rows.binary("mul" + rounding, multiply);
    if (kind.one != half.one) continue;
    rows.binary("add" + rounding + "sat.",
                [=](u64 a, u64 b) { return saturated(kind, add(a, b)); });
    rows.binary("sub" + rounding + "sat.",
                [=](u64 a, u64 b) { return saturated(kind, subtract(a, b)); });
    rows.binary("mul" + rounding + "sat.",
                [=](u64 a, u64 b) { return saturated(kind, multiply(a, b)); });
  }
  rows.ternary("fma.rn.", fma);
  rows.ternary("fma.rn.relu.", [=](u64 a, u64 b, u64 c) { return rectified(kind, fma(a, b, c)); });
  if (kind.one == half.one)
    rows.ternary("fma.rn.sat.", [=](u64 a, u64 b, u64 c) { return saturated(kind, fma(a, b, c)); });
  for (const bool greater : {false, true}) {
    const std::string name = greater ? "max." : "min.";
    rows.binary(name, [=](u64 a, u64 b) { return lesser(kind, a, b, greater, false); });
    rows.binary(name + "NaN.", [=](u64 a, u64 b) { return lesser(kind, a, b, greater, true); });
    for (const bool nan_wins : {false, true}) {
      rows.binary(name + (nan_wins ? "NaN." : "") + "xorsign.abs.",
                  [=](u64 a, u64 b) { return lesser_with_signs(kind, a, b, greater, nan_wins); });
    }
  }
  const auto number = [=](u64 a, u64 result) { return is_nan(f, a) ? canonical_nan(f) : result; };
  rows.unary("neg.", [=](u64 a) { return number(a, negated(f, a)); });
  rows.unary("abs.", [=](u64 a) { return number(a, magnitude(f, a)); });
}

// .ftz, of f16 only: subnormal operands and results are zeros of their sign.
void flushing(Rows<F16, F16x2> rows) {
  static constexpr Format f = half_format;
  const auto ftz = [](u64 a) { return flushed(f, a); };
  // Flushed is what is subnormal in a format with more exponents, before it loses bits for that.
  const auto flushing = [](auto compute, auto... a) {
    static constexpr Format wide{8, 10};
    const u64 result = compute(f, flushed(f, a)...);
    const u64 large = compute(wide, soft_convert(f, wide, flushed(f, a), Rounding::nearest)...);
    const u64 least = soft_convert(f, wide, 0x0400, Rounding::nearest);
    const bool tiny = !is_nan(wide, large) && magnitude(wide, large) < least;
    return tiny ? result & 0x8000 : result;
  };
  const auto add = [=](u64 a, u64 b) {
    return flushing([](Format in, u64 x, u64 y) { return soft_add(in, x, y, Rounding::nearest); },
                    a, b);
  };
  const auto subtract = [=](u64 a, u64 b) { return add(a, negated(f, b)); };
  const auto multiply = [=](u64 a, u64 b) {
    return flushing(
        [](Format in, u64 x, u64 y) { return soft_multiply(in, x, y, Rounding::nearest); }, a, b);
  };
  const auto fma = [=](u64 a, u64 b, u64 c) {
    return flushing(
        [](Format in, u64 x, u64 y, u64 z) { return soft_fma(in, x, y, z, Rounding::nearest); }, a,
        b, c);
  };
  for (const std::string& rounding : {std::string("."), std::string(".rn.")}) {
    const std::string tail = rounding + "ftz.";
    rows.binary("add" + tail, add);
    rows.binary("sub" + tail, subtract);
    rows.binary("mul" + tail, multiply);
    rows.binary("add" + tail + "sat.", [=](u64 a, u64 b) { return saturated(half, add(a, b)); });
    rows.binary("sub" + tail + "sat.",
                [=](u64 a, u64 b) { return saturated(half, subtract(a, b)); });
    rows.binary("mul" + tail + "sat.",
                [=](u64 a, u64 b) { return saturated(half, multiply(a, b)); });
  }
  rows.ternary("fma.rn.ftz.", fma);
  rows.ternary("fma.rn.ftz.sat.",
               [=](u64 a, u64 b, u64 c) { return saturated(half, fma(a, b, c)); });
  rows.ternary("fma.rn.ftz.relu.",
               [=](u64 a, u64 b, u64 c) { return rectified(half, fma(a, b, c)); });
  for (const bool greater : {false, true}) {
    for (const bool nan_wins : {false, true}) {
      const std::string name =
          std::string(greater ? "max" : "min") + ".ftz." + (nan_wins ? "NaN." : "");
      rows.binary(name,
                  [=](u64 a, u64 b) { return lesser(half, ftz(a), ftz(b), greater, nan_wins); });
      rows.binary(name + "xorsign.abs.", [=](u64 a, u64 b) {
        return lesser_with_signs(half, ftz(a), ftz(b), greater, nan_wins);
      });
    }
  }
  rows.unary("neg.ftz.",
             [=](u64 a) { return is_nan(f, a) ? canonical_nan(f) : negated(f, ftz(a)); });
  rows.unary("abs.ftz.",
             [=](u64 a) { return is_nan(f, a) ? canonical_nan(f) : magnitude(f, ftz(a)); });
}

// Correct to the manual's bound: the error of each half relative to its exact value.
template <class Single, class Pair, class F>
void approximate(ReferenceTable& table, const std::string& head, const std::string& type,
                 HalfKind kind, double relative, F function) {
  const Format f = kind.format;
  const auto value = [=](u64 bits) {
    return double(
        std::bit_cast<float>(u32(soft_convert(f, single_format, bits, Rounding::nearest))));
  };
  const auto bits_of = [=](double x) {
    return u16(soft_convert(double_format, f, std::bit_cast<u64>(x), Rounding::nearest));
  };
  const auto near = [=](u64 expected, u64 got) {
    if (expected == got) return true;
    if (is_nan(f, expected) || is_nan(f, got)) return is_nan(f, expected) && is_nan(f, got);
    // Subnormals: their grid is coarser than the bound.
    const double grid = value(1);
    return std::fabs(value(got) - value(expected)) <= std::fabs(value(expected)) * relative + grid;
  };
  table.row(head + type, [=](Single a) { return Single{bits_of(function(value(a.bits)))}; })
      .close_enough = [=](const u64*, u64 expected, u64 got) { return near(expected, got); };
  table
      .row(head + type + "x2",
           [=](Pair a) {
             return Pair{bits_of(function(value(a.low))), bits_of(function(value(a.high)))};
           })
      .close_enough = [=](const u64*, u64 expected, u64 got) {
    return near(expected & 0xffff, got & 0xffff) && near(expected >> 16, got >> 16);
  };
}

}  // namespace

void add_half_references(ReferenceTable& table) {
  arithmetic(Rows<F16, F16x2>(table, "f16"), half);
  arithmetic(Rows<BF16, BF16x2>(table, "bf16"), bfloat);
  flushing(Rows<F16, F16x2>(table, "f16"));
  const auto exp2 = [](double a) { return std::exp2(a); };
  const auto flushed_exp2 = [](double a) {
    const double result = std::exp2(std::fabs(a) < 0x1p-126 ? 0 : a);
    return result < 0x1p-126 ? 0 : result;
  };
  const auto tanh = [](double a) { return std::tanh(a); };
  approximate<F16, F16x2>(table, "ex2.approx.", "f16", half, 0x1p-9, exp2);
  approximate<BF16, BF16x2>(table, "ex2.approx.ftz.", "bf16", bfloat, 0x1p-7, flushed_exp2);
  approximate<F16, F16x2>(table, "tanh.approx.", "f16", half, 0x1p-9, tanh);
  approximate<BF16, BF16x2>(table, "tanh.approx.", "bf16", bfloat, 0x1p-7, tanh);
}

}  // namespace ladder::emulator::opcodes
