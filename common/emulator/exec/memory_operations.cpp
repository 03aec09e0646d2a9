// Loads and stores of a warp, eight lanes at a time.
//
// A chunk of eight lanes is tested for the two shapes that nearly all kernels have (neighbours, all
// the same) and then moved as a vector; anything else goes lane by lane. A whole-warp test would
// miss blocks 16 threads wide. Bounds are tested once a chunk against the allocation that this
// instruction touched last.
#include "common/emulator/exec/memory_operations.hpp"

#include <cstring>
#include <type_traits>

#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/memory_faults.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

constexpr int chunk = 8;

// Shared and local addresses are 32 bits wide, others 64.
template <Space S>
using Address = std::conditional_t<S == Space::shared || S == Space::local, u32, u64>;

template <Space S>
inline const Address<S>* addresses(const std::byte* rows, const Inst& inst) {
  return reinterpret_cast<const Address<S>*>(rows + inst.s[0]);
}

#ifdef __AVX2__
// All eight differ from first by lane * stride.
inline bool strided(const u64* at, u64 first, u64 stride) {
  const __m256i base = _mm256_set1_epi64x(static_cast<long long>(first));
  const __m256i steps =
      _mm256_set_epi64x(static_cast<long long>(3 * stride), static_cast<long long>(2 * stride),
                        static_cast<long long>(stride), 0);
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 4));
  const __m256i expected = _mm256_add_epi64(base, steps);
  const __m256i expected_high =
      _mm256_add_epi64(expected, _mm256_set1_epi64x(static_cast<long long>(4 * stride)));
  const __m256i wrong =
      _mm256_or_si256(_mm256_xor_si256(low, expected), _mm256_xor_si256(high, expected_high));
  return _mm256_testz_si256(wrong, wrong) != 0;
}
inline bool strided(const u32* at, u32 first, u32 stride) {
  const __m256i expected =
      _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                       _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(stride)),
                                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  const __m256i wrong =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), expected);
  return _mm256_testz_si256(wrong, wrong) != 0;
}
#else
template <class A>
inline bool strided(const A* at, A first, A stride) {
  A wrong = 0;
  for (int i = 0; i < chunk; ++i) wrong |= at[i] ^ static_cast<A>(first + stride * i);
  return wrong == 0;
}
#endif

// Where [address, address + bytes) is for all lanes of the warp, without the slow path; nullptr: not
// simply there.
template <Space S>
inline std::byte* quick(Warp& warp, const Inst& inst, Address<S> address, u32 bytes, u32 align) {
  if ((address & (align - 1)) != 0) return nullptr;
  if constexpr (S == Space::shared) {
    return address <= warp.shared_bytes && bytes <= warp.shared_bytes - address
               ? warp.shared + address
               : nullptr;
  } else if constexpr (S == Space::local) {
    return nullptr;
  } else {
    const Range& range = warp.cache[inst.cache];
    return range.holds(address, bytes) ? range.host(address) : nullptr;
  }
}

// The same after looking up the allocation; generic addresses may turn out to be shared.
template <Space S>
std::byte* lookup(Warp& warp, const Inst& inst, Address<S> address, u32 bytes, u32 align) {
  if constexpr (S == Space::generic) {
    if ((address & window_mask) == shared_window) {
      return quick<Space::shared>(warp, inst, static_cast<u32>(address), bytes, align);
    }
  }
  if constexpr (S == Space::generic || S == Space::global) {
    if (!warp.launch.memory->find_range(address, warp.cache[inst.cache])) return nullptr;
    if (!warp.launch.memcheck && warp.launch.memory->reserved(address)) {
      warp.cache[inst.cache] = warp.launch.memory->everything();
    }
    return quick<S>(warp, inst, address, bytes, align);
  }
  return nullptr;
}

template <Space S>
inline std::byte* lane_pointer(Warp& warp, const Inst& inst, Address<S> address, u32 bytes,
                               int lane) {
  if (std::byte* at = quick<S>(warp, inst, address, bytes, bytes)) return at;
  return resolve(warp, inst, S, address, bytes, lane);
}

template <class M>
using Row = std::conditional_t<sizeof(M) == 8, u64, u32>;

template <class M>
inline Row<M> extended(M value) {
  if constexpr (std::is_signed_v<M>)
    return static_cast<Row<M>>(static_cast<s32>(value));
  else
    return value;
}

template <class M>
inline M fetch(const std::byte* at) {
  M value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class M>
inline void move_in(Row<M>* to, const std::byte* from) {  // eight neighbours
  if constexpr (sizeof(M) == sizeof(Row<M>)) {
    std::memcpy(to, from, chunk * sizeof(M));
  } else {
    for (int i = 0; i < chunk; ++i) to[i] = extended(fetch<M>(from + i * sizeof(M)));
  }
}

template <class M>
inline void spread(Row<M>* to, const std::byte* from) {  // one value to eight lanes
  const Row<M> value = extended(fetch<M>(from));
  for (int i = 0; i < chunk; ++i) to[i] = value;
}

template <class M, Space S>
void load(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    if (some == 0xff) {
      const auto first = at[c];
      if (at[c + 1] == first) {
        if (strided(at + c, first, Address<S>{0})) {
          const auto address = static_cast<Address<S>>(first + offset);
          std::byte* host = quick<S>(warp, inst, address, sizeof(M), sizeof(M));
          if (!host) host = lookup<S>(warp, inst, address, sizeof(M), sizeof(M));
          if (host) {
            spread<M>(to + c, host);
            continue;
          }
        }
      } else if (strided(at + c, first, Address<S>{sizeof(M)})) {
        const auto address = static_cast<Address<S>>(first + offset);
        std::byte* host = quick<S>(warp, inst, address, chunk * sizeof(M), sizeof(M));
        if (!host) host = lookup<S>(warp, inst, address, chunk * sizeof(M), sizeof(M));
        if (host) {
          move_in<M>(to + c, host);
          continue;
        }
      }
    }
    for (u32 left = some; left != 0; left &= left - 1) {
      const int lane = c + std::countr_zero(left);
      const auto address = static_cast<Address<S>>(at[lane] + offset);
      to[lane] = extended(fetch<M>(lane_pointer<S>(warp, inst, address, sizeof(M), lane)));
    }
  }
}

template <class M, Space S>
void store(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    if (some == 0xff && strided(at + c, at[c], Address<S>{sizeof(M)})) {
      const auto address = static_cast<Address<S>>(at[c] + offset);
      std::byte* host = quick<S>(warp, inst, address, chunk * sizeof(M), sizeof(M));
      if (!host) host = lookup<S>(warp, inst, address, chunk * sizeof(M), sizeof(M));
      if (host) {
        if constexpr (sizeof(M) == sizeof(Row<M>)) {
          std::memcpy(host, from + c, chunk * sizeof(M));
        } else {
          for (int i = 0; i < chunk; ++i) {
            const M value = static_cast<M>(from[c + i]);
            std::memcpy(host + i * sizeof(M), &value, sizeof value);
          }
        }
        continue;
      }
    }
    for (u32 left = some; left != 0; left &= left - 1) {
      const int lane = c + std::countr_zero(left);
      const auto address = static_cast<Address<S>>(at[lane] + offset);
      const M value = static_cast<M>(from[lane]);
      std::memcpy(lane_pointer<S>(warp, inst, address, sizeof(M), lane), &value, sizeof value);
    }
  }
}

// Vectors: the chunk's pointers first, then element by element.
template <class M, Space S>
inline void vector_pointers(std::byte** to, const Address<S>* at, Address<S> offset, Warp& warp,
                            const Inst& inst, u32 some, int c, u32 bytes) {
  if (some == 0xff && strided(at + c, at[c], static_cast<Address<S>>(bytes))) {
    const auto address = static_cast<Address<S>>(at[c] + offset);
    std::byte* host = quick<S>(warp, inst, address, chunk * bytes, bytes);
    if (!host) host = lookup<S>(warp, inst, address, chunk * bytes, bytes);
    if (host) {
      for (int i = 0; i < chunk; ++i) to[i] = host + static_cast<u32>(i) * bytes;
      return;
    }
  }
  for (u32 left = some; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    to[i] = lane_pointer<S>(warp, inst, static_cast<Address<S>>(at[c + i] + offset), bytes, c + i);
  }
}

template <class M, Space S>
void load_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const u32 bytes = inst.list_size * static_cast<u32>(sizeof(M));
  const auto* at = addresses<S>(rows, inst);
  std::byte* pointers[lanes];
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    vector_pointers<M, S>(pointers + c, at, static_cast<Address<S>>(inst.immediate), warp, inst,
                          some, c, bytes);
  }
  for (int e = 0; e < inst.list_size; ++e) {
    if (inst.list[e] == no_row) continue;  // _
    auto* to = reinterpret_cast<Row<M>*>(rows + inst.list[e]);
    if (mask == all_lanes) {
      for (int i = 0; i < lanes; ++i) to[i] = extended(fetch<M>(pointers[i] + e * sizeof(M)));
      continue;
    }
    for (u32 left = mask; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      to[i] = extended(fetch<M>(pointers[i] + e * sizeof(M)));
    }
  }
}

template <class M, Space S>
void store_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const u32 bytes = inst.list_size * static_cast<u32>(sizeof(M));
  const auto* at = addresses<S>(rows, inst);
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    std::byte* pointers[chunk];
    vector_pointers<M, S>(pointers, at, static_cast<Address<S>>(inst.immediate), warp, inst, some,
                          c, bytes);
    for (u32 left = some; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      for (int e = 0; e < inst.list_size; ++e) {
        const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.list[e]);
        const M value = static_cast<M>(from[c + i]);
        std::memcpy(pointers[i] + e * sizeof(M), &value, sizeof value);
      }
    }
  }
}

template <class M, Space S>
void load_any(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  if (inst.list_size > 0) return load_vector<M, S>(rows, inst, warp, mask);
  load<M, S>(rows, inst, warp, mask);
}

template <class M, Space S>
void store_any(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  if (inst.list_size > 0) return store_vector<M, S>(rows, inst, warp, mask);
  store<M, S>(rows, inst, warp, mask);
}

template <class M>
Handler load_of(Space space) {
  switch (space) {
    case Space::global:
      return &load_any<M, Space::global>;
    case Space::shared:
      return &load_any<M, Space::shared>;
    case Space::local:
      return &load_any<M, Space::local>;
    default:
      return &load_any<M, Space::generic>;
  }
}

template <class M>
Handler store_of(Space space) {
  switch (space) {
    case Space::global:
      return &store_any<M, Space::global>;
    case Space::shared:
      return &store_any<M, Space::shared>;
    case Space::local:
      return &store_any<M, Space::local>;
    default:
      return &store_any<M, Space::generic>;
  }
}

}  // namespace

Handler load_handler(Space space, int bytes, Extend extend) {
  const bool sign = extend == Extend::sign;
  switch (bytes) {
    case 1:
      return sign ? load_of<s8>(space) : load_of<u8>(space);
    case 2:
      return sign ? load_of<s16>(space) : load_of<u16>(space);
    case 4:
      return load_of<u32>(space);
    default:
      return load_of<u64>(space);
  }
}

Handler store_handler(Space space, int bytes) {
  switch (bytes) {
    case 1:
      return store_of<u8>(space);
    case 2:
      return store_of<u16>(space);
    case 4:
      return store_of<u32>(space);
    default:
      return store_of<u64>(space);
  }
}

u64 lane_address(const std::byte* rows, const Inst& inst, int lane) {
  const auto space = static_cast<Space>(inst.space);
  if (space == Space::shared || space == Space::local) {
    return static_cast<u32>(addresses<Space::shared>(rows, inst)[lane] +
                            static_cast<u32>(inst.immediate));
  }
  return addresses<Space::global>(rows, inst)[lane] + static_cast<u64>(inst.immediate);
}

namespace {

std::byte* local_pointer(Warp& warp, u64 offset, u32 bytes, int lane) {
  if (offset >= warp.local_stride || bytes > warp.local_stride - offset) return nullptr;
  return warp.local + static_cast<u64>(lane) * warp.local_stride + offset;
}

}  // namespace

std::byte* resolve(Warp& warp, const Inst& inst, Space space, u64 address, u32 bytes, int lane) {
  const Access access{inst.source, space, address, bytes, lane};
  if ((address & (bytes - 1)) != 0) throw_misaligned(warp, access);
  if (space == Space::shared) {
    if (address < warp.shared_bytes && bytes <= warp.shared_bytes - address) {
      return warp.shared + address;
    }
    throw_out_of_bounds(warp, access);
  }
  if (space == Space::local) {
    if (std::byte* at = local_pointer(warp, address, bytes, lane)) return at;
    throw_out_of_bounds(warp, access);
  }
  Range& range = warp.cache[inst.cache];
  if (range.holds(address, bytes)) return range.host(address);
  if (space == Space::generic && (address & window_mask) == shared_window) {
    return resolve(warp, inst, Space::shared, address & ~window_mask, bytes, lane);
  }
  if (space == Space::generic && (address & window_mask) == local_window) {
    return resolve(warp, inst, Space::local, address & ~window_mask, bytes, lane);
  }
  Range found;
  if (!warp.launch.memory->find_range(address, found) || !found.holds(address, bytes)) {
    throw_out_of_bounds(warp, access);
  }
  range = found;
  return range.host(address);
}

std::byte* resolve_generic(Warp& warp, const ptx::Instruction* source, u64 address, u32 bytes,
                           int lane) {
  Inst inst;
  Range range;
  inst.source = source;
  Range* const before = warp.cache;
  warp.cache = &range;
  // Byte-wise use: any alignment will do, so it is taken apart.
  std::byte* at = resolve(warp, inst, Space::generic, address, 1, lane);
  if (bytes > 1) resolve(warp, inst, Space::generic, address + bytes - 1, 1, lane);
  warp.cache = before;
  return at;
}

}  // namespace ladder::emulator
