// cvt: between all types, with rounding, saturation and flushing of subnormals.
//
// The conversions that kernels use all the time are vector loops; the rest go through one general
// routine that reads its modifiers from Inst::immediate.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "common/emulator/exec/lane_functions.hpp"
#include "common/emulator/exec/operations.hpp"

namespace ladder::emulator {

namespace {

using namespace lane;

enum class Kind : u8 { u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, f32, f64 };

struct Form {
  Kind to = Kind::u32, from = Kind::u32;
  Round round = Round::nearest;
  bool integer_rounding = false;  // .rni .rzi .rmi .rpi
  bool saturate = false, flush = false, relu = false, finite = false;
};

std::int64_t encode(const Form& form) {
  return static_cast<int>(form.to) | static_cast<int>(form.from) << 4 |
         static_cast<int>(form.round) << 8 | form.integer_rounding << 12 | form.saturate << 13 |
         form.flush << 14 | form.relu << 15 | form.finite << 16;
}

Form decode(std::int64_t bits) {
  return {static_cast<Kind>(bits & 15),
          static_cast<Kind>((bits >> 4) & 15),
          static_cast<Round>((bits >> 8) & 15),
          ((bits >> 12) & 1) != 0,
          ((bits >> 13) & 1) != 0,
          ((bits >> 14) & 1) != 0,
          ((bits >> 15) & 1) != 0,
          ((bits >> 16) & 1) != 0};
}

bool is_float(Kind kind) {
  return kind >= Kind::f16;
}
bool is_signed(Kind kind) {
  return kind >= Kind::s8 && kind <= Kind::s64;
}
int bits_of(Kind kind) {
  static constexpr int bits[] = {8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 64};
  return bits[static_cast<int>(kind)];
}

s128 integer_from(Kind kind, u64 raw) {
  const int unused = 64 - bits_of(kind);
  if (is_signed(kind)) return static_cast<s64>(raw << unused) >> unused;
  return raw << unused >> unused;
}

f64 float_from(Kind kind, u64 raw, bool flushes) {
  switch (kind) {
    case Kind::f16:
      return to_float(f16{static_cast<u16>(raw)});
    case Kind::bf16:
      return to_float(bf16{static_cast<u16>(raw)});
    case Kind::f32: {
      const f32 value = std::bit_cast<f32>(static_cast<u32>(raw));
      return flushes ? canonical(flush(value)) : value;
    }
    default:
      return std::bit_cast<f64>(raw);
  }
}

f64 to_integral(f64 value, Round round) {
  switch (round) {
    case Round::nearest:
      return std::nearbyint(value);
    case Round::zero:
      return std::trunc(value);
    case Round::down:
      return std::floor(value);
    case Round::up:
      return std::ceil(value);
  }
  return value;
}

// Always clamps; NaN gives 0 (f32 and narrower sources) or the value with the top bit set (f64).
u64 float_to_integer(f64 value, Kind from, Kind to, Round round) {
  const int bits = bits_of(to);
  if (value != value) {
    if (bits == 64 || from == Kind::f64) return bits == 64 ? u64{1} << 63 : u64{1} << (bits - 1);
    return 0;
  }
  const f64 whole = to_integral(value, round);
  const f64 low = is_signed(to) ? -std::ldexp(1.0, bits - 1) : 0.0;
  const f64 end = std::ldexp(1.0, is_signed(to) ? bits - 1 : bits);
  const u64 ones = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (whole >= end) return is_signed(to) ? ones >> 1 : ones;
  if (whole <= low) return is_signed(to) ? u64{1} << (bits - 1) : 0;
  return is_signed(to) ? static_cast<u64>(static_cast<s64>(whole)) : static_cast<u64>(whole);
}

int host_rounding(Round round) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  return modes[static_cast<int>(round)];
}

// A NaN of an f64 keeps its sign and the upper bits of its payload.
u64 short_nan(f64 nan, Kind to) {
  const u64 bits = std::bit_cast<u64>(nan);
  const int fraction = to == Kind::f32 ? 23 : to == Kind::f16 ? 10 : 7;
  const u64 quiet_bit = u64{1} << (fraction - 1);
  const u64 payload = (bits & 0xfffffffffffffu) >> (52 - fraction);
  const u64 exponent = (to == Kind::f16 ? u64{0x1f} : u64{0xff}) << fraction;
  return bits >> 63 << (bits_of(to) - 1) | exponent | quiet_bit | payload;
}

u64 float_to_float(f64 value, const Form& form) {
  f64 result = form.integer_rounding ? to_integral(value, form.round) : value;
  if (form.saturate) result = result > 0 ? (result < 1 ? result : 1.0) : 0.0;
  if (form.relu && !(result > 0) && result == result) result = 0.0;
  const Round round = form.integer_rounding ? Round::nearest : form.round;
  if (result != result && form.from == Kind::f64 && form.to != Kind::f64)
    return short_nan(result, form.to);
  switch (form.to) {
    case Kind::f16:
      return to_f16(result, round, form.finite).bits;
    case Kind::bf16:
      return to_bf16(result, round, form.finite).bits;
    case Kind::f32: {
      volatile f64 wide = result;  // converted at run time, in the mode that is set
      const f32 value32 = canonical(static_cast<f32>(wide));
      return std::bit_cast<u32>(form.flush ? flush(value32) : value32);
    }
    default:
      return std::bit_cast<u64>(result);
  }
}

template <class T>
T integer_to_float(s128 value, bool is_unsigned) {
  if (is_unsigned) {
    volatile u64 v = static_cast<u64>(value);
    return static_cast<T>(v);
  }
  volatile s64 v = static_cast<s64>(value);
  return static_cast<T>(v);
}

u64 convert_lane(const Form& form, u64 raw) {
  // A shift: even a NaN stays as it is.
  if (form.from == Kind::bf16 && form.to == Kind::f32 && !form.saturate && !form.relu)
    return raw << 16;
  if (is_float(form.from)) {
    const f64 value = float_from(form.from, raw, form.flush);
    if (is_float(form.to)) return float_to_float(value, form);
    return float_to_integer(value, form.from, form.to, form.round);
  }
  const s128 value = integer_from(form.from, raw);
  if (!is_float(form.to)) {
    if (!form.saturate) return static_cast<u64>(value);
    const int bits = bits_of(form.to);
    const s128 end = s128{1} << (is_signed(form.to) ? bits - 1 : bits);
    const s128 low = is_signed(form.to) ? -end : 0;
    return static_cast<u64>(value < low ? low : value >= end ? end - 1 : value);
  }
  const bool is_unsigned = !is_signed(form.from);
  if (form.to == Kind::f64) return std::bit_cast<u64>(integer_to_float<f64>(value, is_unsigned));
  if (form.to == Kind::f32) {
    const f32 result = integer_to_float<f32>(value, is_unsigned);
    return std::bit_cast<u32>(form.saturate ? std::clamp(result, 0.0f, 1.0f) : result);
  }
  // Above 2^53 a 16-bit format has long overflowed or dropped those bits: truncating keeps a
  // sticky bit and so rounds once.
  s128 magnitude = value < 0 ? -value : value;
  int shift = 0;
  while (magnitude >> 52) {
    magnitude = (magnitude >> 1) | (magnitude & 1);
    ++shift;
  }
  const f64 wide = std::ldexp(static_cast<f64>(static_cast<s64>(magnitude)), shift);
  return float_to_float(value < 0 ? -wide : wide, form);
}

// One row in general: To and From are the stored widths.
template <class To, class From>
void convert_row(std::byte* rows, const Inst& inst, Warp&, u32) {
  const Form form = decode(inst.immediate);
  const auto* from = reinterpret_cast<const From*>(rows + inst.s[0]);
  auto* to = reinterpret_cast<To*>(rows + inst.d);
  const RoundingScope scope(form.integer_rounding ? FE_TONEAREST : host_rounding(form.round));
  const int unused = 64 - bits_of(form.to);
  const bool extends = !is_float(form.to) && unused > 0;
  for (int i = 0; i < lanes; ++i) {
    u64 result = convert_lane(form, from[i]);
    if (extends) {
      result = is_signed(form.to) ? static_cast<u64>(static_cast<s64>(result << unused) >> unused)
                                  : result << unused >> unused;
    }
    to[i] = static_cast<To>(result);
  }
}

// d = {a, b}: two f32 into a packed pair, a in the upper half.
void pack_row(std::byte* rows, const Inst& inst, Warp&, u32) {
  const Form form = decode(inst.immediate);
  const Source<f32> a(rows, inst.s[0]), b(rows, inst.s[1]);
  auto* to = reinterpret_cast<u32*>(rows + inst.d);
  for (int i = 0; i < lanes; ++i) {
    to[i] = static_cast<u32>(float_to_float(b[i], form)) |
            static_cast<u32>(float_to_float(a[i], form)) << 16;
  }
}

struct to_int_trunc {  // f32 -> s32, clamping
  static s32 run(f32 a) {
    const f32 bounded = a < -2147483648.0f ? -2147483648.0f : a;
    const s32 value = static_cast<s32>(bounded >= 2147483648.0f || a != a ? 0.0f : bounded);
    return a >= 2147483648.0f ? INT32_MAX : value;
  }
};
template <class To>
struct cast {
  template <class T>
  static To run(T a) {
    return static_cast<To>(a);
  }
};
struct widen_half {
  static f32 run(f16 a) { return canonical(to_float(a)); }
};
struct narrow_half {
  static f16 run(f32 a) { return to_f16(a); }
};
struct floor_f32 {
  static f32 run(f32 a) { return canonical(__builtin_floorf(a)); }
};
struct ceil_f32 {
  static f32 run(f32 a) { return canonical(__builtin_ceilf(a)); }
};
struct trunc_f32 {
  static f32 run(f32 a) { return canonical(__builtin_truncf(a)); }
};
struct round_f32 {
  static f32 run(f32 a) { return canonical(__builtin_rintf(a)); }
};
struct narrow_f64 {
  static f32 run(f64 a) { return static_cast<f32>(a); }
};

std::optional<Operation> quick(std::string_view text) {
  static const Operation list[] = {
      operation<cast<s64>, s64, s32>("cvt.s64.s32"),
      operation<cast<s64>, s64, u32>("cvt.s64.u32"),
      operation<cast<u64>, u64, s32>("cvt.u64.s32"),
      operation<cast<u64>, u64, u32>("cvt.u64.u32"),
      operation<cast<u32>, u32, u64>("cvt.u32.u64"),
      operation<cast<u32>, u32, u64>("cvt.s32.s64"),
      operation<cast<u32>, u32, u64>("cvt.s32.u64"),
      operation<cast<u32>, u32, u64>("cvt.u32.s64"),
      operation<cast<u32>, u32, u16>("cvt.u32.u16"),
      operation<cast<s32>, s32, s16>("cvt.s32.s16"),
      operation<cast<u16>, u16, u32>("cvt.u16.u32"),
      operation<cast<s32>, s32, s8>("cvt.s32.s8"),
      operation<cast<u32>, u32, u8>("cvt.u32.u8"),
      operation<cast<f32>, f32, s32>("cvt.rn.f32.s32"),
      operation<cast<f32>, f32, u32>("cvt.rn.f32.u32"),
      operation<cast<f64>, f64, s32>("cvt.rn.f64.s32"),
      operation<cast<f64>, f64, u32>("cvt.rn.f64.u32"),
      operation<cast<f64>, f64, f32>("cvt.f64.f32"),
      operation<narrow_f64, f32, f64>("cvt.rn.f32.f64"),
      operation<to_int_trunc, s32, f32>("cvt.rzi.s32.f32"),
      operation<floor_f32, f32, f32>("cvt.rmi.f32.f32"),
      operation<ceil_f32, f32, f32>("cvt.rpi.f32.f32"),
      operation<trunc_f32, f32, f32>("cvt.rzi.f32.f32"),
      operation<round_f32, f32, f32>("cvt.rni.f32.f32"),
      operation<widen_half, f32, f16>("cvt.f32.f16"),
      operation<narrow_half, f16, f32>("cvt.rn.f16.f32"),
      operation<sat<copy>, f32, f32>("cvt.sat.f32.f32"),
  };
  for (const Operation& entry : list) {
    if (text == entry.text) return entry;
  }
  return std::nullopt;
}

std::optional<Kind> kind_of(std::string_view text) {
  static constexpr std::string_view names[] = {"u8",  "u16", "u32", "u64",  "s8",  "s16",
                                               "s32", "s64", "f16", "bf16", "f32", "f64"};
  for (int i = 0; i < 12; ++i) {
    if (text == names[i]) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

bool modifier(std::string_view part, Form& form) {
  static constexpr std::string_view rounds[] = {"rn", "rz", "rm", "rp"};
  static constexpr std::string_view integral[] = {"rni", "rzi", "rmi", "rpi"};
  for (int i = 0; i < 4; ++i) {
    if (part == rounds[i] || part == integral[i]) {
      form.round = static_cast<Round>(i);
      form.integer_rounding = part == integral[i];
      return true;
    }
  }
  if (part == "sat") return form.saturate = true;
  if (part == "ftz") return form.flush = true;
  if (part == "relu") return form.relu = true;
  if (part == "satfinite") return form.finite = true;
  return false;
}

}  // namespace

Operation convert_operation(std::string_view opcode, std::int64_t& immediate) {
  if (const auto found = quick(opcode)) return *found;
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  if (parts.size() < 3 || parts[0] != "cvt") return {};
  Form form;
  for (std::size_t i = 1; i + 2 < parts.size(); ++i) {
    if (!modifier(parts[i], form)) return {};
  }
  const std::string_view to = parts[parts.size() - 2];
  const auto from = kind_of(parts.back());
  if (!from) return {};
  form.from = *from;
  if (to == "f16x2" || to == "bf16x2") {
    if (form.from != Kind::f32) return {};
    form.to = to == "f16x2" ? Kind::f16 : Kind::bf16;
    immediate = encode(form);
    Operation packed = operation<fadd, f32, f32, f32>("cvt");
    packed.all = &pack_row;
    return packed;
  }
  const auto target = kind_of(to);
  if (!target) return {};
  form.to = *target;
  immediate = encode(form);
  const bool wide_to = bits_of(form.to) == 64, wide_from = bits_of(form.from) == 64;
  Operation general;
  general.text = "cvt";
  general.all = wide_to ? (wide_from ? &convert_row<u64, u64> : &convert_row<u64, u32>)
                        : (wide_from ? &convert_row<u32, u64> : &convert_row<u32, u32>);
  general.result = wide_to ? RowKind::wide : RowKind::word;
  general.sources = 1;
  general.source[0] = wide_from ? RowKind::wide : RowKind::word;
  general.source_f32[0] = form.from == Kind::f32;
  return general;
}

}  // namespace ladder::emulator
