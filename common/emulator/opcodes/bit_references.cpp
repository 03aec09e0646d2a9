// Bits: logic, shifts, fields, permutations, selections.
#include <algorithm>
#include <limits>

#include "common/emulator/opcodes/reference.hpp"

namespace ladder::emulator::opcodes {
namespace {

template <class T>
constexpr u32 width = sizeof(T) * 8;

template <class T>
void logic(ReferenceTable& table, const std::string& type) {
  table.row("and." + type, [](T a, T b) { return T(a & b); });
  table.row("or." + type, [](T a, T b) { return T(a | b); });
  table.row("xor." + type, [](T a, T b) { return T(a ^ b); });
  table.row("not." + type, [](T a) { return T(~a); });
  table.row("cnot." + type, [](T a) { return T(a == 0 ? 1 : 0); });
  table.row("shl." + type, [](T a, u32 n) { return n >= width<T> ? T(0) : T(a << n); });
  table.row("selp." + type, [](T a, T b, bool p) { return p ? a : b; });
}

template <class T>
void right_shift(ReferenceTable& table, const std::string& type) {
  // Shifts beyond the width leave zeros, or copies of the sign.
  table.row("shr." + type, [](T a, u32 n) {
    return T(a >> std::min(n, width<T> - 1) >> (n >= width<T> ? 1 : 0));
  });
}

// Position of the most significant bit that differs from the sign; -1: none.
template <class T>
u32 leading(T a) {
  for (int i = int(width<T>) - 1; i >= 0; --i)
    if (((a >> i) & 1) != (a < 0 ? 1 : 0)) return u32(i);
  return ~0u;
}
template <class T>
void find(ReferenceTable& table, const std::string& type) {
  table.row("bfind." + type, [](T a) { return leading(a); });
  table.row("bfind.shiftamt." + type,
            [](T a) { return leading(a) == ~0u ? ~0u : width<T> - 1 - leading(a); });
}

// `length` bits from bit `start`; the sign of a field that leaves the value is the value's. In 32
// bits both are the low byte of their operand, in 64 the whole of it: the manual allows 255 at
// most.
template <class T>
u64 limited(u32 operand) {
  return width<T> == 64 ? operand : operand & 255;
}
template <class T>
T extracted(T a, u32 start_operand, u32 length_operand) {
  const u64 start = limited<T>(start_operand), length = limited<T>(length_operand);
  T result = 0;
  const u64 last = std::min<u64>(start + length - 1, width<T> - 1);
  const bool sign = std::is_signed_v<T> && length != 0 && ((a >> last) & 1) != 0;
  for (u32 i = 0; i < width<T>; ++i) {
    const bool inside = i < length && start + i < width<T>;
    const bool bit = inside ? ((a >> (start + i)) & 1) != 0 : sign;
    if (bit) result = T(std::make_unsigned_t<T>(result) | std::make_unsigned_t<T>(1) << i);
  }
  return result;
}
template <class T>
T inserted(T field, T into, u32 start_operand, u32 length_operand) {
  const u64 start = limited<T>(start_operand), length = limited<T>(length_operand);
  for (u32 i = 0; i < length && start + i < width<T>; ++i) {
    into = T(into & ~(T(1) << (start + i)));
    into = T(into | ((field >> i) & 1) << (start + i));
  }
  return into;
}

template <class T>
u32 ones(T a) {
  u32 count = 0;
  for (u32 i = 0; i < width<T>; ++i) count += u32((a >> i) & 1);
  return count;
}
template <class T>
T reversed(T a) {
  T result = 0;
  for (u32 i = 0; i < width<T>; ++i) result = T(result << 1 | ((a >> i) & 1));
  return result;
}
template <class T>
void counts(ReferenceTable& table, const std::string& type) {
  table.row("popc." + type, [](T a) { return ones(a); });
  table.row("clz." + type, [](T a) { return a == 0 ? width<T> : width<T> - 1 - leading(a); });
  table.row("brev." + type, [](T a) { return reversed(a); });
  table.row("bfi." + type, [](T field, T into, u32 start, u32 length) {
    return inserted(field, into, start, length);
  });
}

u32 mask(u32 start, u32 length) {
  u32 result = 0;
  for (u32 i = 0; i < 32; ++i)
    if (i >= start && i - start < length) result |= 1u << i;
  return result;
}

// The n-th set bit from `base`, upwards or downwards; n = 0: is bit `base` set?
std::optional<u32> nth_set(u32 bits, u32 base, s32 n) {
  if (base > 31 || n == std::numeric_limits<s32>::min()) return std::nullopt;
  if (n == 0) return (bits >> base & 1) != 0 ? base : ~0u;
  s64 left = n < 0 ? -s64(n) : s64(n);
  for (int i = int(base); i >= 0 && i < 32; i += n < 0 ? -1 : 1)
    if ((bits >> i & 1) != 0 && --left == 0) return u32(i);
  return ~0u;
}

u8 byte_of(u32 a, u32 b, u32 index) {
  const u64 both = u64(b) << 32 | a;
  return u8(both >> (8 * (index & 7)));
}
u32 permuted(u32 a, u32 b, u32 selector) {
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 nibble = selector >> (4 * i) & 15;
    const u8 byte = byte_of(a, b, nibble);
    const u8 copied = nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
    result |= u32(copied) << (8 * i);
  }
  return result;
}
// prmt's modes as tables of byte numbers, by the low two bits of c.
u32 permuted_by(const u8 (&numbers)[4][4], u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) result |= u32(byte_of(a, b, numbers[c & 3][i])) << (8 * i);
  return result;
}
// Lowest byte first.
constexpr u8 forward[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}};
constexpr u8 backward[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
constexpr u8 replicate8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
constexpr u8 clamp_left[4][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}};
constexpr u8 clamp_right[4][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}};
constexpr u8 replicate16[4][4] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}};

u32 looked_up(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (int i = 0; i < 32; ++i) {
    const u32 index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> index & 1) << i;
  }
  return result;
}

void funnels(ReferenceTable& table) {
  const auto left = [](u32 low, u32 high, u32 n) {
    return u32(((u64(high) << 32 | low) << n) >> 32);
  };
  const auto right = [](u32 low, u32 high, u32 n) { return u32((u64(high) << 32 | low) >> n); };
  table.row("shf.l.wrap.b32", [=](u32 a, u32 b, u32 n) { return left(a, b, n & 31); });
  table.row("shf.r.wrap.b32", [=](u32 a, u32 b, u32 n) { return right(a, b, n & 31); });
  table.row("shf.l.clamp.b32", [=](u32 a, u32 b, u32 n) { return left(a, b, std::min(n, 32u)); });
  table.row("shf.r.clamp.b32", [=](u32 a, u32 b, u32 n) { return right(a, b, std::min(n, 32u)); });
}

bool at_least_zero(F32 c) {
  const bool nan = (c.bits & 0x7fffffff) > 0x7f800000;
  return !nan && (c.bits >> 31 == 0 || c.bits == 0x80000000);
}

}  // namespace

void add_bit_references(ReferenceTable& table) {
  logic<u16>(table, "b16");
  logic<u32>(table, "b32");
  logic<u64>(table, "b64");
  right_shift<u16>(table, "b16");
  right_shift<u32>(table, "b32");
  right_shift<u64>(table, "b64");
  right_shift<u16>(table, "u16");
  right_shift<u32>(table, "u32");
  right_shift<u64>(table, "u64");
  right_shift<s16>(table, "s16");
  right_shift<s32>(table, "s32");
  right_shift<s64>(table, "s64");
  find<u32>(table, "u32");
  find<s32>(table, "s32");
  find<u64>(table, "u64");
  find<s64>(table, "s64");
  counts<u32>(table, "b32");
  counts<u64>(table, "b64");
  funnels(table);
  table.row("bfe.u32", [](u32 a, u32 b, u32 c) { return extracted(a, b, c); });
  table.row("bfe.s32", [](s32 a, u32 b, u32 c) { return extracted(a, b, c); });
  table.row("bfe.u64", [](u64 a, u32 b, u32 c) { return extracted(a, b, c); });
  table.row("bfe.s64", [](s64 a, u32 b, u32 c) { return extracted(a, b, c); });
  table.row("bmsk.clamp.b32", [](u32 a, u32 b) { return mask(a, b); });
  table.row("bmsk.wrap.b32", [](u32 a, u32 b) { return mask(a & 31, b & 31); });
  table.row("szext.clamp.u32", [](u32 a, u32 n) { return n >= 32 ? a : a & mask(0, n); });
  table.row("szext.clamp.s32", [](s32 a, u32 n) { return extracted(a, 0, std::min(n, 32u)); });
  table.row("szext.wrap.u32", [](u32 a, u32 n) { return a & mask(0, n & 31); });
  table.row("szext.wrap.s32", [](s32 a, u32 n) { return extracted(a, 0, n & 31); });
  table.row("fns.b32", [](u32 a, u32 b, s32 n) { return nth_set(a, b, n); });
  table.row_with_constants("lop3.b32", {0x00, 0x80, 0x96, 0xe8, 0xca, 0x1b, 0xff},
                           [](u32 a, u32 b, u32 c, u32 t) { return looked_up(a, b, c, t); });
  table.row("prmt.b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
  table.row("prmt.b32.f4e", [](u32 a, u32 b, u32 c) { return permuted_by(forward, a, b, c); });
  table.row("prmt.b32.b4e", [](u32 a, u32 b, u32 c) { return permuted_by(backward, a, b, c); });
  table.row("prmt.b32.rc8", [](u32 a, u32 b, u32 c) { return permuted_by(replicate8, a, b, c); });
  table.row("prmt.b32.ecl", [](u32 a, u32 b, u32 c) { return permuted_by(clamp_left, a, b, c); });
  table.row("prmt.b32.ecr", [](u32 a, u32 b, u32 c) { return permuted_by(clamp_right, a, b, c); });
  table.row("prmt.b32.rc16", [](u32 a, u32 b, u32 c) { return permuted_by(replicate16, a, b, c); });
  const auto flushed_at_least_zero = [](F32 c) {
    return at_least_zero(c) || (c.bits > 0x80000000 && c.bits < 0x80800000);
  };
  table.row("slct.b16.s32", [](u16 a, u16 b, s32 c) { return c >= 0 ? a : b; });
  table.row("slct.b16.f32", [](u16 a, u16 b, F32 c) { return at_least_zero(c) ? a : b; });
  table.row("slct.ftz.b16.f32",
            [=](u16 a, u16 b, F32 c) { return flushed_at_least_zero(c) ? a : b; });
  table.row("slct.ftz.b32.f32",
            [=](u32 a, u32 b, F32 c) { return flushed_at_least_zero(c) ? a : b; });
  table.row("slct.ftz.b64.f32",
            [=](u64 a, u64 b, F32 c) { return flushed_at_least_zero(c) ? a : b; });
  table.row("slct.b32.s32", [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
  table.row("slct.b64.s32", [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
  table.row("slct.b32.f32", [](u32 a, u32 b, F32 c) { return at_least_zero(c) ? a : b; });
  table.row("slct.b64.f32", [](u64 a, u64 b, F32 c) { return at_least_zero(c) ? a : b; });
  table.row("and.pred", [](bool a, bool b) { return a && b; });
  table.row("or.pred", [](bool a, bool b) { return a || b; });
  table.row("xor.pred", [](bool a, bool b) { return a != b; });
  table.row("not.pred", [](bool a) { return !a; });
}

}  // namespace ladder::emulator::opcodes
