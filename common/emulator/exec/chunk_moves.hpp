// Bytes of memory to lanes of rows and back, eight lanes at a time.
#pragma once

#include <cstring>
#include <type_traits>

#include "common/emulator/exec/address_shapes.hpp"

namespace ladder::emulator {

template <class M>
using Row = std::conditional_t<sizeof(M) == 8, u64, u32>;

template <class M>
inline Row<M> extended(M value) {
  if constexpr (std::is_signed_v<M>)
    return static_cast<Row<M>>(static_cast<s32>(value));
  else
    return value;
}

inline std::byte* host_pointer(u64 address) {
  return reinterpret_cast<std::byte*>(address);
}

template <class M>
inline M fetch(const std::byte* at) {
  M value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Eight words at any address, moved as one vector.
typedef u32 Words [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]];

template <class M>
inline void move_in(Row<M>* to, const std::byte* from) {  // eight neighbours
  if constexpr (sizeof(M) == sizeof(Row<M>)) {
    for (std::size_t i = 0; i < chunk * sizeof(M) / sizeof(Words); ++i) {
      reinterpret_cast<Words*>(to)[i] = reinterpret_cast<const Words*>(from)[i];
    }
  } else {
    for (int i = 0; i < chunk; ++i) {
      to[i] = extended(fetch<M>(from + static_cast<std::size_t>(i) * sizeof(M)));
    }
  }
}

template <class M>
inline void move_out(std::byte* to, const Row<M>* from) {
  if constexpr (sizeof(M) == sizeof(Row<M>)) {
    for (std::size_t i = 0; i < chunk * sizeof(M) / sizeof(Words); ++i) {
      reinterpret_cast<Words*>(to)[i] = reinterpret_cast<const Words*>(from)[i];
    }
  } else {
    for (int i = 0; i < chunk; ++i) {
      const M value = static_cast<M>(from[i]);
      std::memcpy(to + static_cast<std::size_t>(i) * sizeof(M), &value, sizeof value);
    }
  }
}

// Rows are written as vectors wherever they will be read as vectors: a vector read behind narrow
// writes stalls.
template <class R>
struct Vectors;
template <>
struct Vectors<u32> {
  typedef u32 type [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]];
};
template <>
struct Vectors<u64> {
  typedef u64 type [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]];
};

template <class M>
inline void spread(Row<M>* to, const std::byte* from) {  // one value to eight lanes
  using Vector = typename Vectors<Row<M>>::type;
  const Vector value = Vector{} + extended(fetch<M>(from));
  for (std::size_t i = 0; i < sizeof(Row<M>) / 4; ++i) reinterpret_cast<Vector*>(to)[i] = value;
}

// One value from each of eight places: host_of(i).
template <class M, class HostOf>
inline void collect(Row<M>* to, const HostOf& host_of) {
  using Vector = typename Vectors<Row<M>>::type;
  const auto value = [&](int i) { return extended(fetch<M>(host_of(i))); };
  if constexpr (sizeof(Row<M>) == 4) {
    *reinterpret_cast<Vector*>(to) =
        Vector{value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)};
  } else {
    *reinterpret_cast<Vector*>(to) = Vector{value(0), value(1), value(2), value(3)};
    *reinterpret_cast<Vector*>(to + 4) = Vector{value(4), value(5), value(6), value(7)};
  }
}

// From 32 places, for the lanes of the mask. host_of(i) can be read for all lanes.
template <class M, class HostOf>
inline void collect_all(Row<M>* to, u32 mask, const HostOf& host_of) {
  if (mask == all_lanes) {
    for (int c = 0; c < lanes; c += chunk) {
      collect<M>(to + c, [&](int i) { return host_of(c + i); });
    }
    return;
  }
  alignas(32) Row<M> values[lanes];
  for (int c = 0; c < lanes; c += chunk) {
    collect<M>(values + c, [&](int i) { return host_of(c + i); });
  }
#pragma GCC ivdep
  for (int i = 0; i < lanes; ++i) to[i] = (mask & (1u << i)) != 0 ? values[i] : to[i];
}

}  // namespace ladder::emulator
