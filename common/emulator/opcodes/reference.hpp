// The table that the emulator's instructions are compared with: a line for each opcode, a lambda
// that computes one lane on the host. The lambda's types say what the operands are.
//
//   row("mul.hi.s16", [](s16 a, s16 b) { return s16((s32(a) * b) >> 16); });
//
// A lambda that returns std::optional leaves nullopt open: PTX does not define the result.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ladder::emulator::opcodes {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Floating point stays bit patterns; the references compute on them in integers.
struct F16 {
  u16 bits;
};
struct BF16 {
  u16 bits;
};
struct F16x2 {
  u16 low, high;
};
struct BF16x2 {
  u16 low, high;
};
struct F32 {
  u32 bits;
};
struct F64 {
  u64 bits;
};

enum class Operand { predicate, b16, b32, b64, f16, bf16, f16x2, bf16x2, f32, f64 };

template <class T>
constexpr Operand operand_of() {
  if constexpr (std::is_same_v<T, bool>) return Operand::predicate;
  if constexpr (std::is_same_v<T, F16>) return Operand::f16;
  if constexpr (std::is_same_v<T, BF16>) return Operand::bf16;
  if constexpr (std::is_same_v<T, F16x2>) return Operand::f16x2;
  if constexpr (std::is_same_v<T, BF16x2>) return Operand::bf16x2;
  if constexpr (std::is_same_v<T, F32>) return Operand::f32;
  if constexpr (std::is_same_v<T, F64>) return Operand::f64;
  if constexpr (sizeof(T) <= 2) return Operand::b16;
  if constexpr (sizeof(T) == 4) return Operand::b32;
  return Operand::b64;
}

template <class T>
T from_bits(u64 bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else if constexpr (sizeof(T) == 1) {
    return std::bit_cast<T>(static_cast<u8>(bits));
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<u16>(bits));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<u32>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}

template <class T>
u64 to_bits(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else if constexpr (sizeof(T) == 1) {
    // An 8-bit result is a 16-bit register, extended.
    return static_cast<u16>(value);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<u16>(value);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<u32>(value);
  } else {
    return std::bit_cast<u64>(value);
  }
}

struct Reference {
  std::string opcode;
  Operand result;
  std::vector<Operand> sources;
  // The last source is written as one of these constants, not as a register (empty: a register).
  std::vector<u64> constants;
  std::function<std::optional<u64>(const u64*)> compute;
  // Approximate instructions: how far from `compute`'s value is allowed. Empty: bit for bit.
  std::function<bool(const u64* sources, u64 expected, u64 got)> close_enough;
};

namespace detail {

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

template <class F, class R, class... A, std::size_t... I>
Reference made(std::string opcode, F function, R (F::*)(A...) const, std::index_sequence<I...>) {
  Reference reference;
  reference.opcode = std::move(opcode);
  reference.result = operand_of<typename Plain<R>::type>();
  reference.sources = {operand_of<A>()...};
  reference.compute = [function](const u64* bits) -> std::optional<u64> {
    const auto result = function(from_bits<A>(bits[I])...);
    if constexpr (std::is_same_v<R, typename Plain<R>::type>) {
      return to_bits(result);
    } else {
      if (!result.has_value()) return std::nullopt;
      return to_bits(*result);
    }
  };
  return reference;
}
template <class F, class R, class... A>
Reference made(std::string opcode, F function, R (F::*call)(A...) const) {
  return made(std::move(opcode), std::move(function), call, std::index_sequence_for<A...>{});
}

}  // namespace detail

class ReferenceTable {
 public:
  template <class F>
  Reference& row(std::string opcode, F function) {
    rows_.push_back(detail::made(std::move(opcode), std::move(function), &F::operator()));
    return rows_.back();
  }
  // `constants`: values of the last operand, which must be a constant in the text.
  template <class F>
  void row_with_constants(std::string opcode, std::vector<u64> constants, F function) {
    row(std::move(opcode), std::move(function)).constants = std::move(constants);
  }
  const std::vector<Reference>& rows() const { return rows_; }

 private:
  std::vector<Reference> rows_;
};

void add_integer_references(ReferenceTable& table);
void add_bit_references(ReferenceTable& table);
void add_float_references(ReferenceTable& table);
void add_approximate_references(ReferenceTable& table);
void add_half_references(ReferenceTable& table);
void add_compare_references(ReferenceTable& table);
void add_conversion_references(ReferenceTable& table);

}  // namespace ladder::emulator::opcodes
