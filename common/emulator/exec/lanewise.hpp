// Running a lane function over the 32 lanes of rows. A lane function is a struct with
// `static R run(A...)`; lanewise<F, D, S...> owns the loop. The loop has no branches, so that it
// vectorises; a partial mask runs it for all lanes and puts the others' results back (blend.cpp).
#pragma once

#include <bit>
#include <cfenv>
#include <cstring>
#include <tuple>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "common/emulator/exec/half.hpp"
#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

struct pred {};  // a predicate operand: bool to a lane function, one bit a lane in its row
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;
using f32 = float;
using f64 = double;

template <class T>
using Stored = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
inline T from_row(Stored<T> bits) {
  if constexpr (sizeof(T) == sizeof(bits)) {
    return std::bit_cast<T>(bits);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<u16>(bits));
  } else {
    return std::bit_cast<T>(static_cast<u8>(bits));
  }
}

template <class T>
inline Stored<T> to_row(T value) {
  if constexpr (sizeof(T) == sizeof(Stored<T>)) {
    return std::bit_cast<Stored<T>>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<u32>(static_cast<s32>(value));  // extends
  } else {
    return std::bit_cast<u16>(value);
  }
}

// Reads lane i of a source row.
template <class T>
struct Source {
  const Stored<T>* row;
  Source(const std::byte* rows, u32 offset)
      : row(reinterpret_cast<const Stored<T>*>(rows + offset)) {}
  T operator[](int i) const { return from_row<T>(row[i]); }
};

template <>
struct Source<pred> {
  u32 bits;
  Source(const std::byte* rows, u32 offset) { std::memcpy(&bits, rows + offset, 4); }
  bool operator[](int i) const { return (bits & (1u << i)) != 0; }
};

// The same value in every lane: one read.
template <class T>
struct UniformSource {
  T value;
  UniformSource(const std::byte* rows, u32 offset) : value(Source<T>(rows, offset)[0]) {}
  T operator[](int) const { return value; }
};

// One bit a lane from eight lanes of 0 or -1.
inline u32 pack(const s32* flags) {
#ifdef __AVX2__
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(flags));
  return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(v)));
#else
  u32 bits = 0;
  for (int i = 0; i < 8; ++i) bits |= (static_cast<u32>(flags[i]) & 1u) << i;
  return bits;
#endif
}

// Sets the host's rounding mode while it lives; memory is a barrier that keeps arithmetic inside.
class RoundingScope {
 public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) {
    std::fesetround(mode);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    std::fesetround(before_);
  }
  RoundingScope(const RoundingScope&) = delete;

 private:
  int before_;
};

template <class F>
concept Directed = requires {
  F::rounding;
};

template <bool UniformLast, class F, class D, class... S, std::size_t... I>
inline void lane_loop(std::byte* rows, const Inst& inst, std::index_sequence<I...>) {
  const std::tuple<
      std::conditional_t<UniformLast && I + 1 == sizeof...(S), UniformSource<S>, Source<S>>...>
      sources{{rows, inst.s[I]}...};
  if constexpr (std::is_same_v<D, pred> && (std::is_same_v<S, pred> && ...)) {
    const u32 bits = F::run(std::get<I>(sources).bits...);  // whole masks
    std::memcpy(rows + inst.d, &bits, 4);
  } else if constexpr (std::is_same_v<D, pred>) {
    u32 bits = 0;
#pragma GCC unroll 4
    for (int c = 0; c < lanes; c += 8) {
      alignas(32) s32 flags[8];
      for (int i = 0; i < 8; ++i) flags[i] = F::run(std::get<I>(sources)[c + i]...) ? -1 : 0;
      bits |= pack(flags) << c;
    }
    std::memcpy(rows + inst.d, &bits, 4);
  } else {
    auto* to = reinterpret_cast<Stored<D>*>(rows + inst.d);
#pragma GCC ivdep
    for (int i = 0; i < lanes; ++i) to[i] = to_row<D>(F::run(std::get<I>(sources)[i]...));
  }
}

template <class F, class D, class... S>
void lanewise(std::byte* rows, const Inst& inst, Warp&, u32) {
  if constexpr (Directed<F>) {
    const RoundingScope scope(F::rounding);
    lane_loop<false, F, D, S...>(rows, inst, std::index_sequence_for<S...>{});
  } else {
    lane_loop<false, F, D, S...>(rows, inst, std::index_sequence_for<S...>{});
  }
}

// For a last source that is the same in all lanes: half the reads.
template <class F, class D, class... S>
void lanewise_uniform(std::byte* rows, const Inst& inst, Warp&, u32) {
  lane_loop<true, F, D, S...>(rows, inst, std::index_sequence_for<S...>{});
}

// Lane functions of which that is compiled too, and those of two operands that may be swapped.
template <class F>
inline constexpr bool has_uniform_form = false;
template <class F>
inline constexpr bool commutes = false;

// What lowering needs to know of an operand: how wide its row is.
enum class RowKind : std::uint8_t { predicate, word, wide };

template <class T>
constexpr RowKind row_kind() {
  if constexpr (std::is_same_v<T, pred>) return RowKind::predicate;
  if constexpr (sizeof(T) == 8) return RowKind::wide;
  return RowKind::word;
}

// A row of ops.def, ready to be looked up by its PTX text.
struct Operation {
  const char* text = nullptr;
  Handler all = nullptr;
  RowKind result = RowKind::word;
  int sources = 0;
  RowKind source[4] = {};
  bool source_f32[4] = {};    // an f64 literal is rounded to it
  Handler uniform = nullptr;  // like `all`, for a last source that is the same in all lanes
  bool commutes = false;
};

template <class F, class D, class... S>
Operation operation(const char* text) {
  Operation made{text,         &lanewise<F, D, S...>, row_kind<D>(),
                 sizeof...(S), {row_kind<S>()...},    {std::is_same_v<S, f32>...}};
  if constexpr (has_uniform_form<F>) {
    made.uniform = &lanewise_uniform<F, D, S...>;
  }
  made.commutes = commutes<F>;
  return made;
}

}  // namespace ladder::emulator
