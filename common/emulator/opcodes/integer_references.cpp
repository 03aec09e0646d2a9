// Integer arithmetic.
#include <algorithm>

#include "common/emulator/opcodes/reference.hpp"

namespace ladder::emulator::opcodes {
namespace {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;
// Holds any product of two T and a third T.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;

template <class T>
constexpr T lowest = std::is_signed_v<T> ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
template <class T>
constexpr T highest = T(~lowest<T>);
template <class T>
constexpr int width = int(sizeof(T) * 8);

template <class T>
T clamped(s128 value) {
  return T(std::clamp(value, s128(lowest<T>), s128(highest<T>)));
}
template <class T>
T high_half(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> width<T>);
}
template <class T>
T distance(T a, T b) {
  return T(a < b ? s128(b) - a : s128(a) - b);
}

template <class T>
void of_every_type(ReferenceTable& table, const std::string& type) {
  table.row("add." + type, [](T a, T b) { return T(s128(a) + b); });
  table.row("sub." + type, [](T a, T b) { return T(s128(a) - b); });
  table.row("mul.lo." + type, [](T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); });
  table.row("mul.hi." + type, [](T a, T b) { return high_half(a, b); });
  table.row("mad.lo." + type,
            [](T a, T b, T c) { return T(Wide<T>(a) * Wide<T>(b) + Wide<T>(c)); });
  table.row("mad.hi." + type, [](T a, T b, T c) { return T(s128(high_half(a, b)) + c); });
  table.row("sad." + type, [](T a, T b, T c) { return T(s128(distance(a, b)) + c); });
  table.row("min." + type, [](T a, T b) { return a < b ? a : b; });
  table.row("max." + type, [](T a, T b) { return a < b ? b : a; });
  table.row("div." + type, [](T a, T b) -> std::optional<T> {
    if (b == 0) return std::nullopt;
    return T(s128(a) / b);
  });
  table.row("rem." + type, [](T a, T b) -> std::optional<T> {
    if (b == 0 || (std::is_signed_v<T> && a == lowest<T> && s128(b) == -1)) return std::nullopt;
    return T(s128(a) % b);
  });
}

template <class T>
void of_signed_type(ReferenceTable& table, const std::string& type) {
  table.row("abs." + type, [](T a) { return T(a < 0 ? -s128(a) : s128(a)); });
  table.row("neg." + type, [](T a) { return T(-s128(a)); });
}

template <class T, class Double>
void widening(ReferenceTable& table, const std::string& type) {
  table.row("mul.wide." + type, [](T a, T b) { return Double(s128(a) * b); });
  table.row("mad.wide." + type, [](T a, T b, Double c) { return Double(s128(a) * b + c); });
}

// The 48-bit product of the low 24 bits.
template <class T>
s64 product24(T a, T b) {
  const auto low = [](T x) { return s64(T(u32(x) << 8) >> 8); };
  return low(a) * low(b);
}
template <class T>
void of_24_bits(ReferenceTable& table, const std::string& type) {
  table.row("mul24.lo." + type, [](T a, T b) { return T(product24(a, b)); });
  table.row("mul24.hi." + type, [](T a, T b) { return T(product24(a, b) >> 16); });
  table.row("mad24.lo." + type, [](T a, T b, T c) { return T(product24(a, b) + c); });
  table.row("mad24.hi." + type, [](T a, T b, T c) { return T((product24(a, b) >> 16) + c); });
}

template <class A, class B, class C>
C dot4(u32 a, u32 b, C c) {
  s64 total = c;
  for (int i = 0; i < 4; ++i) total += s64(A(a >> (8 * i))) * B(b >> (8 * i));
  return C(total);
}
template <class A, class B, class C>
C dot2(u32 a, u32 b, C c, int first) {
  s64 total = c;
  for (int i = 0; i < 2; ++i) total += s64(A(a >> (16 * i))) * B(b >> (8 * (i + first)));
  return C(total);
}
template <class A4, class A2, class B, class C>
void dot_products(ReferenceTable& table, const std::string& types) {
  table.row("dp4a." + types, [](u32 a, u32 b, C c) { return dot4<A4, B>(a, b, c); });
  table.row("dp2a.lo." + types, [](u32 a, u32 b, C c) { return dot2<A2, B>(a, b, c, 0); });
  table.row("dp2a.hi." + types, [](u32 a, u32 b, C c) { return dot2<A2, B>(a, b, c, 2); });
}

// Of both 16-bit halves.
template <class T, class F>
u32 halved(u32 a, u32 b, F choose) {
  const auto low = u16(choose(T(a), T(b)));
  return u32(u16(choose(T(a >> 16), T(b >> 16)))) << 16 | low;
}
template <class T>
void extremes_of_pairs(ReferenceTable& table, const std::string& type) {
  const auto least = [](T a, T b) { return std::min(a, b); };
  const auto greatest = [](T a, T b) { return std::max(a, b); };
  table.row("min." + type, [=](u32 a, u32 b) { return halved<T>(a, b, least); });
  table.row("max." + type, [=](u32 a, u32 b) { return halved<T>(a, b, greatest); });
  if constexpr (!std::is_signed_v<T>) return;
  const auto least_above = [](T a, T b) { return std::max(std::min(a, b), T(0)); };
  const auto greatest_above = [](T a, T b) { return std::max(std::max(a, b), T(0)); };
  table.row("min.relu." + type, [=](u32 a, u32 b) { return halved<T>(a, b, least_above); });
  table.row("max.relu." + type, [=](u32 a, u32 b) { return halved<T>(a, b, greatest_above); });
}

// cvt.pack: a and b clamped, a above b; narrower than 16 bits, c goes above both.
void packed(ReferenceTable& table, const std::string& type, s64 low, s64 high) {
  const int bits = std::stoi(type.substr(1));
  const auto both = [=](s32 a, s32 b) {
    const s64 mask = (s64(1) << bits) - 1;
    return u32((std::clamp<s64>(a, low, high) & mask) << bits |
               (std::clamp<s64>(b, low, high) & mask));
  };
  if (bits == 16) {
    table.row("cvt.pack.sat." + type + ".s32", both);
  } else {
    table.row("cvt.pack.sat." + type + ".s32.b32",
              [=](s32 a, s32 b, u32 c) { return both(a, b) | c << (2 * bits); });
  }
}

// Of parts of a word: distances beside each other (the third source is not used), or added to it.
template <class Part>
void distances_of_parts(ReferenceTable& table, const std::string& name, const std::string& type) {
  constexpr int width = 8 * sizeof(Part);
  const std::string text = name + ".u32." + type + "." + type;
  const auto distance_at = [](u32 a, u32 b, int at) {
    const s64 difference = s64(Part(a >> at)) - s64(Part(b >> at));
    return u32(difference < 0 ? -difference : difference);
  };
  table.row(text, [=](u32 a, u32 b, u32) {
    u32 all = 0;
    for (int at = 0; at < 32; at += width) all += distance_at(a, b, at) << at;
    return all;
  });
  table.row(text + ".add", [=](u32 a, u32 b, u32 c) {
    for (int at = 0; at < 32; at += width) c += distance_at(a, b, at);
    return c;
  });
}

}  // namespace

void add_integer_references(ReferenceTable& table) {
  of_every_type<u16>(table, "u16");
  of_every_type<s16>(table, "s16");
  of_every_type<u32>(table, "u32");
  of_every_type<s32>(table, "s32");
  of_every_type<u64>(table, "u64");
  of_every_type<s64>(table, "s64");
  of_signed_type<s16>(table, "s16");
  of_signed_type<s32>(table, "s32");
  of_signed_type<s64>(table, "s64");
  widening<u16, u32>(table, "u16");
  widening<s16, s32>(table, "s16");
  widening<u32, u64>(table, "u32");
  widening<s32, s64>(table, "s32");
  of_24_bits<u32>(table, "u32");
  of_24_bits<s32>(table, "s32");
  dot_products<u8, u16, u8, u32>(table, "u32.u32");
  dot_products<u8, u16, s8, s32>(table, "u32.s32");
  dot_products<s8, s16, u8, s32>(table, "s32.u32");
  dot_products<s8, s16, s8, s32>(table, "s32.s32");

  const auto pair_sum = [](u32 a, u32 b) {
    return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
  };
  table.row("add.u16x2", pair_sum);
  table.row("add.s16x2", pair_sum);
  extremes_of_pairs<u16>(table, "u16x2");
  extremes_of_pairs<s16>(table, "s16x2");
  distances_of_parts<u16>(table, "vabsdiff2", "u32");
  distances_of_parts<s16>(table, "vabsdiff2", "s32");
  distances_of_parts<u8>(table, "vabsdiff4", "u32");
  distances_of_parts<s8>(table, "vabsdiff4", "s32");
  table.row("add.sat.s32", [](s32 a, s32 b) { return clamped<s32>(s128(a) + b); });
  table.row("sub.sat.s32", [](s32 a, s32 b) { return clamped<s32>(s128(a) - b); });
  table.row("mad.hi.sat.s32",
            [](s32 a, s32 b, s32 c) { return clamped<s32>(s128(high_half(a, b)) + c); });
  table.row("mad24.hi.sat.s32",
            [](s32 a, s32 b, s32 c) { return clamped<s32>(s128(product24(a, b) >> 16) + c); });
  packed(table, "s16", -32768, 32767);
  packed(table, "u16", 0, 65535);
  packed(table, "s8", -128, 127);
  packed(table, "u8", 0, 255);
  packed(table, "s4", -8, 7);
  packed(table, "u4", 0, 15);
  packed(table, "s2", -2, 1);
  packed(table, "u2", 0, 3);
  table.row("min.relu.s32", [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
  table.row("max.relu.s32", [](s32 a, s32 b) { return std::max(std::max(a, b), 0); });
}

}  // namespace ladder::emulator::opcodes
