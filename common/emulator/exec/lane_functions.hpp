// What each instruction does in one lane. Named in ops.def; run over rows by lanewise.hpp.
// Sources: PTX ISA 9.0, chapter 9.7. All functions are total: no input traps.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/emulator/exec/half.hpp"
#include "common/emulator/exec/lanewise.hpp"

// One line a function, where it can be.
// clang-format off

namespace ladder::emulator::lane {

// ---- integers -------------------------------------------------------------------------------

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// Arithmetic wraps: done unsigned, in at least 32 bits.
template <class T>
using Wrap = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
struct Twice;
template <> struct Twice<s16> { using type = s32; };
template <> struct Twice<u16> { using type = u32; };
template <> struct Twice<s32> { using type = s64; };
template <> struct Twice<u32> { using type = u64; };
template <> struct Twice<s64> { using type = s128; };
template <> struct Twice<u64> { using type = u128; };
template <class T>
using Double = typename Twice<T>::type;

struct iadd { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) + Wrap<T>(b)); } };
struct isub { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) - Wrap<T>(b)); } };
struct imul { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) * Wrap<T>(b)); } };
struct mul_hi { template <class T> static T run(T a, T b) { return T((Double<T>(a) * Double<T>(b)) >> (8 * sizeof(T))); } };
struct mul_wide { template <class T> static Double<T> run(T a, T b) { return Double<T>(a) * Double<T>(b); } };
struct mad_lo { template <class T> static T run(T a, T b, T c) { return T(Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c)); } };
struct mad_hi { template <class T> static T run(T a, T b, T c) { return iadd::run(mul_hi::run(a, b), c); } };
struct mad_wide { template <class T> static Double<T> run(T a, T b, Double<T> c) { return iadd::run<Double<T>>(mul_wide::run(a, b), c); } };
struct mad_hi_sat { static s32 run(s32 a, s32 b, s32 c) { const s64 r = s64(mul_hi::run(a, b)) + c; return s32(std::clamp<s64>(r, INT32_MIN, INT32_MAX)); } };
struct iadd_sat { static s32 run(s32 a, s32 b) { return s32(std::clamp<s64>(s64(a) + b, INT32_MIN, INT32_MAX)); } };
struct isub_sat { static s32 run(s32 a, s32 b) { return s32(std::clamp<s64>(s64(a) - b, INT32_MIN, INT32_MAX)); } };

template <class T>
s64 low24(T a) {
  if constexpr (std::is_signed_v<T>) return s64(s32(u32(a) << 8) >> 8);
  return s64(a & 0xffffffu);
}
struct mul24_lo { template <class T> static T run(T a, T b) { return T(u64(low24(a) * low24(b))); } };
struct mul24_hi { template <class T> static T run(T a, T b) { return T(u64(low24(a) * low24(b)) >> 16); } };
struct mad24_lo { template <class T> static T run(T a, T b, T c) { return iadd::run(mul24_lo::run(a, b), c); } };
struct mad24_hi { template <class T> static T run(T a, T b, T c) { return iadd::run(mul24_hi::run(a, b), c); } };

struct mad24_hi_sat { static s32 run(s32 a, s32 b, s32 c) { return s32(std::clamp<s64>(s64(mul24_hi::run(a, b)) + c, INT32_MIN, INT32_MAX)); } };
// cvt.pack: a and b into Bits bits each, a above b; c shifted in behind them.
template <int Bits, bool Signed>
struct pack_saturated {
  static u32 part(s32 a) {
    constexpr s32 low = Signed ? -(1 << (Bits - 1)) : 0, high = (1 << (Signed ? Bits - 1 : Bits)) - 1;
    return u32(std::clamp(a, low, high)) & ((1u << Bits) - 1);
  }
  static u32 run(s32 a, s32 b) { return part(a) << Bits | part(b); }
  static u32 run(s32 a, s32 b, u32 c) { return run(a, b) | c << (2 * Bits); }
};

struct sad { template <class T> static T run(T a, T b, T c) { return iadd::run(c, a < b ? isub::run(b, a) : isub::run(a, b)); } };
// The parts of a word: distances beside each other, or their sum added to c.
template <class Part, int count>
struct part_distances {
  static u32 run(u32 a, u32 b, u32) {
    constexpr int bits = 32 / count;
    u32 all = 0;
    for (int i = 0; i < count; ++i) all |= u32(std::abs(s32(Part(a >> (i * bits))) - s32(Part(b >> (i * bits))))) << (i * bits);
    return all;
  }
};
template <class Part, int count>
struct sum_of_distances { static u32 run(u32 a, u32 b, u32 c) {
  constexpr int bits = 32 / count;
  for (int i = 0; i < count; ++i) c += u32(std::abs(s32(Part(a >> (i * bits))) - s32(Part(b >> (i * bits)))));
  return c;
} };
// Division by zero gives all ones, as on the hardware; the least value / -1 wraps.
struct idiv { template <class T> static T run(T a, T b) {
  if (b == 0) return T(~T(0));
  if constexpr (std::is_signed_v<T>) { if (b == T(-1)) return isub::run(T(0), a); }
  return T(a / b);
} };
struct irem { template <class T> static T run(T a, T b) {
  if (b == 0) return T(~T(0));
  if constexpr (std::is_signed_v<T>) { if (b == T(-1)) return 0; }
  return T(a % b);
} };
struct iabs { template <class T> static T run(T a) { return a < 0 ? isub::run(T(0), a) : a; } };
struct ineg { template <class T> static T run(T a) { return isub::run(T(0), a); } };
struct imin { template <class T> static T run(T a, T b) { return b < a ? b : a; } };
struct imax { template <class T> static T run(T a, T b) { return a < b ? b : a; } };
struct imin_relu { static s32 run(s32 a, s32 b) { return std::max(std::min(a, b), 0); } };
// Both 16-bit halves of a word.
template <class F>
struct halves {
  template <class T> struct of { static u32 run(u32 a, u32 b) {
    const u16 low = u16(F::run(T(a), T(b))), high = u16(F::run(T(a >> 16), T(b >> 16)));
    return u32(high) << 16 | low;
  } };
};
struct imax_relu { static s32 run(s32 a, s32 b) { return std::max(std::max(a, b), 0); } };

struct popc { template <class T> static u32 run(T a) { return u32(std::popcount(a)); } };
struct clz { template <class T> static u32 run(T a) { return u32(std::countl_zero(a)); } };
struct bfind { template <class T> static u32 run(T a) {
  const auto bits = Unsigned<T>(a < 0 ? ~a : a);
  return bits == 0 ? ~0u : u32(sizeof(T) * 8 - 1) - u32(std::countl_zero(bits));
} };
struct bfind_shift { template <class T> static u32 run(T a) {
  const auto bits = Unsigned<T>(a < 0 ? ~a : a);
  return bits == 0 ? ~0u : u32(std::countl_zero(bits));
} };
struct brev { template <class T> static T run(T a) {
  T r = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i) r |= ((a >> i) & T(1)) << (sizeof(T) * 8 - 1 - i);
  return r;
} };
// Of a position or length the hardware sees the low byte in 32 bits, all of it in 64.
template <class T> u32 bit_number(u32 n) { return sizeof(T) == 8 ? n : n & 0xff; }
struct bfe { template <class T> static T run(T a, u32 b, u32 c) {
  constexpr u32 msb = sizeof(T) * 8 - 1;
  const u32 at = bit_number<T>(b), length = bit_number<T>(c);
  if (length == 0) return 0;
  const u32 top = u32(std::min<u64>(u64(at) + length - 1, msb));
  const bool sign = std::is_signed_v<T> && ((Unsigned<T>(a) >> top) & 1);
  Unsigned<T> r = at > msb ? 0 : Unsigned<T>(a) >> at;
  if (length <= msb) {
    const Unsigned<T> mask = (Unsigned<T>(1) << length) - 1;
    r &= mask;
  }
  // Bits above the field, or above the top of the source, repeat the sign.
  const u32 have = at > msb ? 0 : std::min(length, msb + 1 - at);
  if (sign && have <= msb) r |= ~Unsigned<T>(0) << have;
  return T(r);
} };
struct bfi { template <class T> static T run(T a, T b, u32 c, u32 d) {
  constexpr u32 width = sizeof(T) * 8;
  const u32 at = bit_number<T>(c), length = bit_number<T>(d);
  if (at >= width || length == 0) return b;
  const T ones = length >= width ? T(~T(0)) : T((T(1) << length) - 1);
  const T mask = T(ones << at);
  return T((b & ~mask) | ((a << at) & mask));
} };
struct bmsk { template <bool Clamp> struct mode { static u32 run(u32 a, u32 b) {
  if (!Clamp) { a &= 31; b &= 31; }
  if (a >= 32 || b == 0) return 0;
  const u32 ones = b >= 32 ? ~0u : (1u << b) - 1;
  return ones << a;
} }; };
struct szext { template <class T> struct mode { static T run(T a, u32 b) {
  if (b >= 32) return a;
  if (b == 0) return 0;
  return T(Unsigned<T>(a) << (32 - b)) >> (32 - b);
} }; };
struct szext_wrap { template <class T> struct of { static T run(T a, u32 b) { return szext::mode<T>::run(a, b & 31); } }; };
struct fns { static u32 run(u32 mask, u32 base, s32 offset) {
  if (offset == 0) return base < 32 && ((mask >> base) & 1) ? base : ~0u;
  if (offset == INT32_MIN) return 0;  // as the hardware answers
  int left = offset < 0 ? -offset : offset;
  for (s64 at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
    if ((mask >> at) & 1 && --left == 0) return u32(at);
  }
  return ~0u;
} };

struct bit_and { template <class T> static T run(T a, T b) { return a & b; } };
struct bit_or { template <class T> static T run(T a, T b) { return a | b; } };
struct bit_xor { template <class T> static T run(T a, T b) { return a ^ b; } };
struct bit_not { template <class T> static T run(T a) { return T(~a); } };
struct cnot { template <class T> static T run(T a) { return a == 0; } };
struct lop3 { static u32 run(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  r |= (0u - ((table >> 0) & 1)) & ~a & ~b & ~c;
  r |= (0u - ((table >> 1) & 1)) & ~a & ~b & c;
  r |= (0u - ((table >> 2) & 1)) & ~a & b & ~c;
  r |= (0u - ((table >> 3) & 1)) & ~a & b & c;
  r |= (0u - ((table >> 4) & 1)) & a & ~b & ~c;
  r |= (0u - ((table >> 5) & 1)) & a & ~b & c;
  r |= (0u - ((table >> 6) & 1)) & a & b & ~c;
  r |= (0u - ((table >> 7) & 1)) & a & b & c;
  return r;
} };
// Shifts clamp their count.
struct shl { template <class T> static T run(T a, u32 b) { return b >= sizeof(T) * 8 ? T(0) : T(Wrap<T>(a) << b); } };
struct shr { template <class T> static T run(T a, u32 b) {
  constexpr u32 width = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>) return T(a >> (b >= width ? width - 1 : b));
  return b >= width ? T(0) : T(a >> b);
} };
template <bool Left, bool Clamp>
struct Shf { static u32 run(u32 a, u32 b, u32 c) {
  const u32 n = Clamp ? std::min(c, 32u) : c & 31;
  const u64 both = (u64(b) << 32) | a;
  return Left ? u32((both << n) >> 32) : u32(both >> n);
} };
struct prmt { static u32 run(u32 a, u32 b, u32 c) {
  const u64 both = (u64(b) << 32) | a;
  u32 r = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = (c >> (4 * i)) & 0xf;
    u32 byte = u32(both >> (8 * (pick & 7))) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * i);
  }
  return r;
} };
// The special modes choose four bytes by the two low bits of c.
template <u32 S0, u32 S1, u32 S2, u32 S3>
struct prmt_mode { static u32 run(u32 a, u32 b, u32 c) {
  const u32 pick[4] = {S0, S1, S2, S3};
  return prmt::run(a, b, pick[c & 3]);
} };
template <class A, class B, class R>
struct Dp4a { static R run(u32 a, u32 b, R c) {
  u32 sum = u32(c);
  for (int i = 0; i < 4; ++i) sum += u32(s32(A(a >> (8 * i))) * s32(B(b >> (8 * i))));
  return R(sum);
} };
template <class A, class B, class R, bool High>
struct Dp2a { static R run(u32 a, u32 b, R c) {
  using A16 = std::conditional_t<std::is_signed_v<A>, s16, u16>;
  u32 sum = u32(c);
  for (int i = 0; i < 2; ++i) {
    sum += u32(s32(A16(a >> (16 * i))) * s32(B(b >> (8 * (i + (High ? 2 : 0))))));
  }
  return R(sum);
} };

using prmt_f4e = prmt_mode<0x3210, 0x4321, 0x5432, 0x6543>;
using prmt_b4e = prmt_mode<0x5670, 0x6701, 0x7012, 0x0123>;
using prmt_rc8 = prmt_mode<0x0000, 0x1111, 0x2222, 0x3333>;
using prmt_ecl = prmt_mode<0x3210, 0x3211, 0x3222, 0x3333>;
using prmt_ecr = prmt_mode<0x0000, 0x1110, 0x2210, 0x3210>;
using prmt_rc16 = prmt_mode<0x1010, 0x3232, 0x1010, 0x3232>;
struct pair_add { static u32 run(u32 a, u32 b) { return ((a + b) & 0xffffu) | ((a & 0xffff0000u) + (b & 0xffff0000u)); } };

// Extended precision: the carry is a predicate that lowering names.
struct addc { template <class T> static T run(T a, T b, bool carry) { return T(a + b + carry); } };
struct subc { template <class T> static T run(T a, T b, bool borrow) { return T(a - b - borrow); } };
struct carry_add { template <class T> static bool run(T a, T b, bool carry) { return T(a + b) < a || T(a + b + carry) < T(a + b); } };
struct borrow_sub { template <class T> static bool run(T a, T b, bool borrow) { return a < b || (a == b && borrow); } };

struct copy { template <class T> static T run(T a) { return a; } };
struct select { template <class T> static T run(T a, T b, bool p) { return p ? a : b; } };
struct slct_int { template <class T> static T run(T a, T b, s32 c) { return c >= 0 ? a : b; } };
struct slct_float { template <class T> static T run(T a, T b, f32 c) { return c >= 0 ? a : b; } };

struct slct_flushed { template <class T> static T run(T a, T b, f32 c) { return c > -0x1p-126f ? a : b; } };  // .ftz

struct eq { template <class T> static bool run(T a, T b) { return a == b; } };
struct ne { template <class T> static bool run(T a, T b) { return a != b; } };
struct lt { template <class T> static bool run(T a, T b) { return a < b; } };
struct le { template <class T> static bool run(T a, T b) { return a <= b; } };
struct gt { template <class T> static bool run(T a, T b) { return a > b; } };
struct ge { template <class T> static bool run(T a, T b) { return a >= b; } };

// Predicates are whole masks.
struct pred_and { static u32 run(u32 a, u32 b) { return a & b; } };
struct pred_or { static u32 run(u32 a, u32 b) { return a | b; } };
struct pred_xor { static u32 run(u32 a, u32 b) { return a ^ b; } };
struct pred_not { static u32 run(u32 a) { return ~a; } };
struct pred_copy { static u32 run(u32 a) { return a; } };

struct low { static u32 run(u64 a) { return u32(a); } };
struct high { static u32 run(u64 a) { return u32(a >> 32); } };
struct join { static u64 run(u32 a, u32 b) { return (u64(b) << 32) | a; } };
struct low16 { static u32 run(u32 a) { return a & 0xffffu; } };
struct high16 { static u32 run(u32 a) { return a >> 16; } };
struct join16 { static u32 run(u16 a, u16 b) { return (u32(b) << 16) | a; } };
struct low8 { template <int N> struct at { static u32 run(u32 a) { return (a >> (8 * N)) & 0xffu; } }; };
struct join8 { static u32 run(u8 a, u8 b, u8 c, u8 d) { return u32(a) | u32(b) << 8 | u32(c) << 16 | u32(d) << 24; } };
struct extend { template <class From> struct from { static u64 run(u32 a) { return u64(s64(From(a))); } }; };

// ---- floating point -------------------------------------------------------------------------

// f32 results that are NaN are this one.
inline f32 canonical(f32 r) { return r != r ? std::bit_cast<f32>(0x7fffffffu) : r; }
inline f64 canonical(f64 r) { return r; }

inline f32 flush(f32 a) {
  const u32 bits = std::bit_cast<u32>(a);
  return std::bit_cast<f32>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// .ftz: subnormal inputs and results become zeros of their sign. A result is subnormal if it is
// before it is rounded to a subnormal's fewer bits, which may round it up to the least normal
// number: F::large gives it 2^64 times as large.
template <class F>
struct ftz {
  template <class... A> static auto run(A... a) {
    const auto r = F::run(flush(a)...);
    if constexpr (!std::is_same_v<decltype(r), const f32>) {
      return r;
    } else if constexpr (requires { F::large(flush(a)...); }) {
      const f32 large = F::large(flush(a)...);
      const bool is_least = (std::bit_cast<u32>(r) & 0x7fffffffu) == 0x00800000u;
      const bool below = std::bit_cast<f32>(std::bit_cast<u32>(large) & 0x7fffffffu) < 0x1p-62f;
      const u32 bits = std::bit_cast<u32>(flush(r));
      return std::bit_cast<f32>(is_least && below ? bits & 0x80000000u : bits);
    } else {
      return flush(r);
    }
  }
};
template <class F>
struct plain : F {};
// .sat: into [0, 1], NaN to 0.
template <class F>
struct sat {
  template <class T, class... A> static T run(T a, A... rest) {
    const T r = F::run(a, rest...);
    return r > T(0) ? (r < T(1) ? r : T(1)) : T(0);
  }
};
template <class F, int Mode>
struct directed : F { static constexpr int rounding = Mode; };

struct fadd { template <class T> static T run(T a, T b) { return canonical(a + b); } };
struct fsub { template <class T> static T run(T a, T b) { return canonical(a - b); } };
struct fmul {
  template <class T> static T run(T a, T b) { return canonical(a * b); }
  static f32 large(f32 a, f32 b) { return a * 0x1p64f * b; }
};
struct fdiv {
  template <class T> static T run(T a, T b) { return canonical(a / b); }
  static f32 large(f32 a, f32 b) { return a * 0x1p64f / b; }
};
struct ffma {
  template <class T> static T run(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return canonical(__builtin_fmaf(a, b, c));
    else return __builtin_fma(a, b, c);
  }
  static f32 large(f32 a, f32 b, f32 c) { return __builtin_fmaf(a * 0x1p64f, b, c * 0x1p64f); }
};
struct frcp {
  template <class T> static T run(T a) { return canonical(T(1) / a); }
  static f32 large(f32 a) { return 0x1p64f / a; }
};
struct fsqrt { template <class T> static T run(T a) {
  if constexpr (sizeof(T) == 4) return canonical(__builtin_sqrtf(a));
  else return __builtin_sqrt(a);
} };
struct frsqrt { template <class T> static T run(T a) {
  if constexpr (sizeof(T) == 4) return canonical(f32(1.0 / __builtin_sqrt(f64(a))));
  else return T(1) / __builtin_sqrt(a);
} };
inline f64 flush(f64 a) {
  const u64 bits = std::bit_cast<u64>(a);
  return std::bit_cast<f64>((bits & 0x7ff0000000000000u) == 0 ? bits & 0x8000000000000000u : bits);
}
inline f64 upper_word(f64 a) { return std::bit_cast<f64>(std::bit_cast<u64>(a) & ~u64(0xffffffff)); }
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and keep the upper 32 bits only.
template <class F>
struct high_word { static f64 run(f64 a) { return upper_word(flush(F::run(flush(upper_word(a))))); } };

template <class T> inline T sign_bit_cleared(T a) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<f32>(std::bit_cast<u32>(a) & 0x7fffffffu);
  else return std::bit_cast<f64>(std::bit_cast<u64>(a) & 0x7fffffffffffffffu);
}
template <class T> inline T sign_bit_flipped(T a) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<f32>(std::bit_cast<u32>(a) ^ 0x80000000u);
  else return std::bit_cast<f64>(std::bit_cast<u64>(a) ^ 0x8000000000000000u);
}
// The NaN that arithmetic makes of a NaN: of an f64 its sign and payload stay.
inline f32 quiet(f32 a) { return canonical(a); }
inline f64 quiet(f64 a) { return std::bit_cast<f64>(std::bit_cast<u64>(a) | 0x0008000000000000u); }
struct fabs_ { template <class T> static T run(T a) { return a != a ? quiet(a) : sign_bit_cleared(a); } };
struct fneg { template <class T> static T run(T a) { return a != a ? quiet(a) : sign_bit_flipped(a); } };
inline bool negative(f32 a) { return std::bit_cast<u32>(a) >> 31; }
inline bool negative(f64 a) { return std::bit_cast<u64>(a) >> 63; }
// A NaN loses against a number; -0 is less than +0.
struct fmin_ { template <class T> static T run(T a, T b) {
  const T smaller = a < b || (a == b && negative(a)) ? a : b;
  return canonical(a != a ? b : b != b ? a : smaller);
} };
struct fmax_ { template <class T> static T run(T a, T b) {
  const T larger = a > b || (a == b && !negative(a)) ? a : b;
  return canonical(a != a ? b : b != b ? a : larger);
} };
template <class F>
struct nan_wins { template <class T, class... A> static T run(T a, A... b) {
  const bool nan = a != a || (... || (b != b));
  return nan ? std::bit_cast<f32>(0x7fffffffu) : F::run(a, b...);
} };
template <class F>
struct xorsign { static f32 run(f32 a, f32 b) {
  const u32 sign = (std::bit_cast<u32>(a) ^ std::bit_cast<u32>(b)) & 0x80000000u;
  const f32 r = F::run(sign_bit_cleared(a), sign_bit_cleared(b));
  return r != r ? r : std::bit_cast<f32>(std::bit_cast<u32>(r) | sign);
} };
struct copysign_ { template <class T> static T run(T a, T b) { // sign of a, magnitude of b
  return negative(a) ? sign_bit_flipped(sign_bit_cleared(b)) : sign_bit_cleared(b);
} };

// 2^a: a = n + r with |r| <= 1/2, a polynomial for 2^r, and n added in the exponent in two halves,
// so that subnormal results round once. Error below 2 ulp (the manual's bound).
struct ex2 { static f32 run(f32 a) {
  const f32 x = a > 130.0f ? 130.0f : a < -151.0f ? -151.0f : a;  // NaN: handled below
  const f32 shifted = x + 12582912.0f;                            // 1.5 * 2^23 rounds to an integer
  const f32 n = shifted - 12582912.0f;
  const f32 r = x - n;
  f32 p = 1.535336188319500e-4f;
  p = __builtin_fmaf(p, r, 1.339887440266574e-3f);
  p = __builtin_fmaf(p, r, 9.618437357674640e-3f);
  p = __builtin_fmaf(p, r, 5.550332471162809e-2f);
  p = __builtin_fmaf(p, r, 2.402264791363012e-1f);
  p = __builtin_fmaf(p, r, 6.931472028550421e-1f);
  p = __builtin_fmaf(p, r, 1.0f);
  const s32 whole = s32(std::bit_cast<u32>(shifted) - 0x4b400000u);
  const s32 first = whole >> 1, second = whole - first;
  const f32 scaled = p * std::bit_cast<f32>(u32(first + 127) << 23) * std::bit_cast<f32>(u32(second + 127) << 23);
  return a != a ? std::bit_cast<f32>(0x7fffffffu) : scaled;
} };
struct lg2 { static f32 run(f32 a) { return canonical(f32(std::log2(f64(a)))); } };
struct fsin { static f32 run(f32 a) { return canonical(f32(std::sin(f64(a)))); } };
struct fcos { static f32 run(f32 a) { return canonical(f32(std::cos(f64(a)))); } };
struct ftanh { static f32 run(f32 a) { return canonical(f32(std::tanh(f64(a)))); } };

struct number { template <class T> static bool run(T a) { return a == a; } };
struct not_a_number { template <class T> static bool run(T a) { return a != a; } };
struct finite { template <class T> static bool run(T a) { return a - a == 0; } };
struct infinite { template <class T> static bool run(T a) { return a == a && a - a != 0; } };
struct normal { template <class T> static bool run(T a) { return a - a == 0 && (a == 0 || sign_bit_cleared(a) >= std::numeric_limits<T>::min()); } };  // zeros count
struct subnormal { template <class T> static bool run(T a) { return a != 0 && sign_bit_cleared(a) < std::numeric_limits<T>::min(); } };

struct both_numbers { template <class T> static bool run(T a, T b) { return a == a && b == b; } };
struct some_nan { template <class T> static bool run(T a, T b) { return a != a || b != b; } };
template <class F>
struct unordered { template <class T> static bool run(T a, T b) { return a != a || b != b || F::run(a, b); } };
struct ordered_ne { template <class T> static bool run(T a, T b) { return a < b || a > b; } };

// ---- 16-bit floating point: computed in f32 (f64 for fma), rounded once --------------------

inline f16 rounded(f32 value, f16) { return to_f16(value); }
inline bf16 rounded(f32 value, bf16) { return to_bf16(value); }
inline f16 rounded(f64 value, f16) { return to_f16(value, Round::nearest); }
inline bf16 rounded(f64 value, bf16) { return to_bf16(value, Round::nearest); }

template <class F>
struct in_f32 {
  template <class... A> static f32 unrounded(A... a) { return f32(F::run(to_float(a)...)); }
  template <class H, class... A> static H run(H a, A... b) { return rounded(unrounded(a, b...), H{}); }
};
// a + b with the last bit set if the sum is inexact: rounding it again, to fewer than 52 bits, is
// rounding once.
inline f64 sum_to_odd(f64 a, f64 b) {
  const f64 sum = a + b;
  const f64 of_b = sum - a;
  const f64 error = (a - (sum - of_b)) + (b - of_b);
  const u64 bits = std::bit_cast<u64>(sum);
  const bool grows = (error > 0) == (sum > 0);
  const u64 odd = (bits & 1) != 0 ? bits : grows ? bits + 1 : bits - 1;
  return std::bit_cast<f64>(error != 0 && error == error ? odd : bits);
}
struct hfma {
  template <class H> static f64 unrounded(H a, H b, H c) {
    return sum_to_odd(f64(to_float(a)) * f64(to_float(b)), f64(to_float(c)));
  }
  template <class H> static H run(H a, H b, H c) { return rounded(unrounded(a, b, c), H{}); }
};
template <class F>
struct relu { template <class H, class... A> static H run(H a, A... b) {
  const H r = F::run(a, b...);
  return to_float(r) < 0 || r.bits == 0x8000 ? H{0} : r;
} };
template <class F>
struct hsat { template <class H, class... A> static H run(H a, A... b) {
  const f32 r = to_float(F::run(a, b...));
  return rounded(r > 0 ? (r < 1 ? r : 1.0f) : 0.0f, H{});
} };
inline bool is_nan(f16 a) { return (a.bits & 0x7fff) > 0x7c00; }
inline bool is_nan(bf16 a) { return (a.bits & 0x7fff) > 0x7f80; }
struct hneg { template <class H> static H run(H a) { return {u16(is_nan(a) ? 0x7fff : a.bits ^ 0x8000)}; } };
struct habs { template <class H> static H run(H a) { return {u16(is_nan(a) ? 0x7fff : a.bits & 0x7fff)}; } };
inline f16 flush(f16 a) { return (a.bits & 0x7c00) == 0 ? f16{u16(a.bits & 0x8000)} : a; }
// As ftz: what is below the least normal number after rounding to 11 bits is flushed, though
// rounding it to a subnormal's fewer bits makes it that number.
template <class F>
struct hftz { template <class... A> static f16 run(A... a) {
  const f16 r = F::run(flush(a)...);
  if constexpr (requires { F::unrounded(flush(a)...); }) {
    const bool is_least = (r.bits & 0x7fff) == 0x0400;
    const f32 large = to_float(rounded(F::unrounded(flush(a)...) * 1024, f16{}));
    if (is_least && large < 0x1p-4f && large > -0x1p-4f) return f16{u16(r.bits & 0x8000)};
  }
  return flush(r);
} };
template <class F>
struct hxorsign { template <class H> static H run(H a, H b) {
  const H r = F::run(habs::run(a), habs::run(b));
  return to_float(r) != to_float(r) ? r : H{u16(r.bits | ((a.bits ^ b.bits) & 0x8000))};
} };
template <class F>
struct hcompare_ftz { static bool run(f16 a, f16 b) { return F::run(to_float(flush(a)), to_float(flush(b))); } };
template <class F>
struct hcompare { template <class H> static bool run(H a, H b) { return F::run(to_float(a), to_float(b)); } };
// Both halves of a packed pair.
template <class F>
struct pairwise { template <class P, class... A> static P run(P a, A... b) { return {F::run(a.low, b.low...), F::run(a.high, b.high...)}; } };

// clang-format on
}  // namespace ladder::emulator::lane

namespace ladder::emulator {

// What loops do with constants and strides.
#define UNIFORM_FORM(function) \
  template <>                  \
  inline constexpr bool has_uniform_form<lane::function> = true
UNIFORM_FORM(iadd);
UNIFORM_FORM(isub);
UNIFORM_FORM(imul);
UNIFORM_FORM(mul_wide);
UNIFORM_FORM(mad_lo);
UNIFORM_FORM(shl);
UNIFORM_FORM(shr);
UNIFORM_FORM(bit_and);
UNIFORM_FORM(eq);
UNIFORM_FORM(ne);
UNIFORM_FORM(lt);
UNIFORM_FORM(le);
UNIFORM_FORM(gt);
UNIFORM_FORM(ge);
UNIFORM_FORM(fadd);
UNIFORM_FORM(fsub);
UNIFORM_FORM(fmul);
#undef UNIFORM_FORM
template <>
inline constexpr bool commutes<lane::iadd> = true;
template <>
inline constexpr bool commutes<lane::imul> = true;
template <>
inline constexpr bool commutes<lane::mul_wide> = true;
template <>
inline constexpr bool commutes<lane::bit_and> = true;

}  // namespace ladder::emulator
