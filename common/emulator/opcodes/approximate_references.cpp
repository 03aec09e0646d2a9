// Approximate instructions against f64, within the bounds of the PTX manual.
#include <cmath>

#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

float single(u64 bits) {
  return std::bit_cast<float>(static_cast<u32>(bits));
}
F32 made(double value) {
  return {std::bit_cast<u32>(static_cast<float>(value))};
}

// Zeros, infinities and NaNs must be exact; finite results may be off by `relative` of the value
// plus `absolute`. Subnormal results are allowed one step of their grid more.
auto within(double relative, double absolute = 0) {
  return [=](const u64*, u64 expected, u64 got) {
    if (is_nan(single_format, expected)) return got == canonical_nan(single_format);
    if (expected == got) return true;
    const double want = single(expected), have = single(got);
    if (std::isinf(want) != std::isinf(have)) {
      // At the end of the range either is near.
      return std::fabs(std::isinf(want) ? have : want) > 3.4028e38 && (want < 0) == (have < 0);
    }
    const double step = 1.5e-45;
    return std::fabs(have - want) <= std::fabs(want) * relative + absolute + step;
  };
}

constexpr double ulp = 1.2e-7;  // 2^-23

template <class F>
void one_operand(ReferenceTable& table, const std::string& name, double relative, double absolute,
                 F function) {
  table.row(name + ".f32", [=](F32 a) { return made(function(single(a.bits))); }).close_enough =
      within(relative, absolute);
  table
      .row(name + ".ftz.f32",
           [=](F32 a) {
             const F32 result = made(function(single(flushed(single_format, a.bits))));
             return F32{u32(flushed(single_format, result.bits))};
           })
      .close_enough = [=](const u64* sources, u64 expected, u64 got) {
    // Which side of the smallest normal number a result falls on is within the error.
    const double smallest = 1.1754944e-38;
    const bool at_edge = std::fabs(std::fabs(single(expected)) - smallest) < smallest * 1e-5 ||
                         std::fabs(std::fabs(single(got)) - smallest) < smallest * 1e-5;
    return at_edge || within(relative, absolute)(sources, expected, got);
  };
}

// |b| beyond 2^126 is outside the bound of the approximate division: 0 is allowed.
void division(ReferenceTable& table, const std::string& opcode, bool flush) {
  table
      .row(opcode,
           [=](F32 a, F32 b) -> std::optional<F32> {
             const auto in = [&](F32 x) {
               return single(flush ? flushed(single_format, x.bits) : x.bits);
             };
             const double under = std::fabs(in(b));
             if ((under > 8.5e37 && !std::isinf(under)) || (under != 0 && under < 1.2e-38))
               return std::nullopt;
             const F32 result = made(double(in(a)) / double(in(b)));
             return F32{u32(flush ? flushed(single_format, result.bits) : result.bits)};
           })
      .close_enough = within(2 * ulp);
}

// Of an f64, the upper word counts; its error is taken to be below 2^-20.
template <class F>
void upper_word(ReferenceTable& table, const std::string& opcode, bool flush, F function) {
  table
      .row(opcode,
           [=](F64 a) -> std::optional<F64> {
             const u64 upper = flush ? a.bits & ~u64{0xffffffff} : a.bits;
             const u64 bits = flush ? flushed(double_format, upper) : upper;
             if (is_nan(double_format, a.bits)) return std::nullopt;
             return F64{std::bit_cast<u64>(function(std::bit_cast<double>(bits)))};
           })
      .close_enough = [](const u64*, u64 expected, u64 got) {
    if (is_nan(double_format, expected)) return is_nan(double_format, got);
    const double want = std::bit_cast<double>(expected), have = std::bit_cast<double>(got);
    if (want == have) return true;
    if (std::isinf(want) || std::isinf(have)) return false;
    if (std::fabs(want) < 2.3e-308) return std::fabs(have) < 2.3e-308;
    return std::fabs(have - want) <= std::fabs(want) * 0x1p-20;
  };
}

}  // namespace

void add_approximate_references(ReferenceTable& table) {
  one_operand(table, "rcp.approx", ulp, 0, [](double a) { return 1 / a; });
  one_operand(table, "sqrt.approx", ulp, 0, [](double a) { return std::sqrt(a); });
  one_operand(table, "rsqrt.approx", 0x1p-22, 0, [](double a) { return 1 / std::sqrt(a); });
  one_operand(table, "ex2.approx", 2 * ulp, 0, [](double a) { return std::exp2(a); });
  one_operand(table, "lg2.approx", 0x1p-22, 0x1p-22, [](double a) { return std::log2(a); });
  // PTX bounds the error in [-2 pi, 2 pi] and in [-100 pi, 100 pi], and says nothing beyond.
  const auto bounded = [](double a) { return std::fabs(a) <= 314.159 || !std::isfinite(a); };
  for (const bool sine : {true, false}) {
    const std::string name = sine ? "sin.approx" : "cos.approx";
    for (const bool flush : {false, true}) {
      table
          .row(name + (flush ? ".ftz.f32" : ".f32"),
               [=](F32 a) -> std::optional<F32> {
                 const double x = single(flush ? flushed(single_format, a.bits) : a.bits);
                 if (!bounded(x)) return std::nullopt;
                 return made(sine ? std::sin(x) : std::cos(x));
               })
          .close_enough = [](const u64* sources, u64 expected, u64 got) {
        // An H200 errs a little more than the 2^-20.5 that PTX promises: by 2^-20.48 in
        // cos.approx.ftz.f32 of -4.89848.
        const bool small = std::fabs(single(sources[0])) <= 6.2831;
        return within(0, small ? 0x1.84p-21 : 0x1.3bp-15)(sources, expected, got);
      };
    }
  }
  table.row("tanh.approx.f32", [](F32 a) { return made(std::tanh(single(a.bits))); }).close_enough =
      within(0x1p-10);
  division(table, "div.approx.f32", false);
  division(table, "div.approx.ftz.f32", true);
  division(table, "div.full.f32", false);
  division(table, "div.full.ftz.f32", true);
  upper_word(table, "rcp.approx.ftz.f64", true, [](double a) { return 1 / a; });
  upper_word(table, "rsqrt.approx.ftz.f64", true, [](double a) { return 1 / std::sqrt(a); });
  upper_word(table, "rsqrt.approx.f64", false, [](double a) { return 1 / std::sqrt(a); });
}

}  // namespace ladder::emulator::opcodes
