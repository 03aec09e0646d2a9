// Loads and stores of a warp, eight lanes at a time.
//
// A chunk of eight lanes is tested for the two shapes that nearly all kernels have (neighbours, all
// the same) and then moved as a vector; anything else goes lane by lane. A whole-warp test would
// miss blocks 16 threads wide. Bounds are tested once a chunk against the allocation that this
// instruction touched last.
#include "common/emulator/exec/memory_operations.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>

#include "common/emulator/exec/address_shapes.hpp"
#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/memory_faults.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

// Shared and local addresses are 32 bits wide, others 64.
template <Space S>
using Address = std::conditional_t<S == Space::shared || S == Space::local, u32, u64>;

template <Space S>
inline const Address<S>* addresses(const std::byte* rows, const Inst& inst) {
  return reinterpret_cast<const Address<S>*>(rows + inst.s[0]);
}

// What an instruction may touch without asking: the allocation it touched last, or the block's
// shared memory. Local memory is never simple.
template <Space S>
struct View {
  Address<S> begin = 0;
  Address<S> bytes = 0;
  std::byte* host = nullptr;  // of begin

  View(const Warp& warp, const Inst& inst) {
    if constexpr (S == Space::shared) {
      bytes = warp.shared_bytes;
      host = warp.shared;
    } else if constexpr (S != Space::local) {
      const Range& range = warp.cache[inst.cache];
      begin = range.begin;
      bytes = range.bytes;
      host = range.host(range.begin);
    }
  }
  // nullptr: not here, or misaligned.
  std::byte* find(Address<S> address, u32 size, u32 align) const {
    const auto offset = static_cast<Address<S>>(address - begin);
    const bool inside = offset < bytes && size <= bytes - offset && (address & (align - 1)) == 0;
    return inside ? host + offset : nullptr;
  }
  // Whether the four chunks' first addresses are each good for `size` bytes.
  bool holds_all(const Address<S>* at, Address<S> offset, u32 size, u32 align) const {
    // Ranges begin aligned, so offsets tell.
    return size <= bytes && firsts_within(at, static_cast<Address<S>>(offset - begin),
                                          static_cast<Address<S>>(bytes - size), align);
  }
  std::byte* host_of(Address<S> address, Address<S> offset) const {
    return host + static_cast<Address<S>>(address + offset - begin);
  }
};

// The slow way for a chunk's first address: looks the allocation up, for the next time too.
// Generic addresses may turn out to be shared. nullptr: lane by lane, please.
template <Space S>
[[gnu::noinline]] std::byte* look_up(Warp& warp, const Inst& inst, Address<S> address, u32 bytes,
                                     u32 align) {
  if constexpr (S == Space::generic) {
    if ((address & window_mask) == shared_window) {
      return View<Space::shared>(warp, inst).find(static_cast<u32>(address), bytes, align);
    }
  }
  if constexpr (S == Space::generic || S == Space::global) {
    if (!warp.launch.memory->find_range(address, warp.cache[inst.cache])) return nullptr;
    if (!warp.launch.memcheck && warp.launch.memory->reserved(address)) {
      warp.cache[inst.cache] = warp.launch.memory->everything();
    }
    return View<S>(warp, inst).find(address, bytes, align);
  }
  return nullptr;
}

template <Space S>
inline std::byte* chunk_pointer(const View<S>& view, Warp& warp, const Inst& inst,
                                Address<S> address, u32 bytes, u32 align) {
  std::byte* host = view.find(address, bytes, align);
  if (host != nullptr) [[likely]] {
    return host;
  }
  return look_up<S>(warp, inst, address, bytes, align);
}

template <Space S>
inline std::byte* lane_pointer(const View<S>& view, Warp& warp, const Inst& inst,
                               Address<S> address, u32 bytes, int lane) {
  std::byte* host = view.find(address, bytes, bytes);
  if (host != nullptr) [[likely]] {
    return host;
  }
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

template <class M>
inline void collect(Row<M>* to, const std::byte* const* from, std::size_t offset) {  // from eight
  using Vector = typename Vectors<Row<M>>::type;
  const auto value = [&](int i) { return extended(fetch<M>(from[i] + offset)); };
  if constexpr (sizeof(Row<M>) == 4) {
    *reinterpret_cast<Vector*>(to) =
        Vector{value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)};
  } else {
    *reinterpret_cast<Vector*>(to) = Vector{value(0), value(1), value(2), value(3)};
    *reinterpret_cast<Vector*>(to + 4) = Vector{value(4), value(5), value(6), value(7)};
  }
}

template <class M, Space S>
[[gnu::noinline]] void load_chunks(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  const View<S> view(warp, inst);
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    if (some == 0xff) [[likely]] {
      const auto first = at[c];
      const auto address = static_cast<Address<S>>(first + offset);
      if (at[c + 1] == first && strided(at + c, first, Address<S>{0})) {
        if (const std::byte* host =
                chunk_pointer<S>(view, warp, inst, address, sizeof(M), sizeof(M))) {
          spread<M>(to + c, host);
          continue;
        }
      } else if (strided(at + c, first, Address<S>{sizeof(M)})) {
        if (const std::byte* host =
                chunk_pointer<S>(view, warp, inst, address, chunk * sizeof(M), sizeof(M))) {
          move_in<M>(to + c, host);
          continue;
        }
      }
    }
    if (some == 0xff) {
      const std::byte* pointers[chunk];
      for (int i = 0; i < chunk; ++i) {
        const auto address = static_cast<Address<S>>(at[c + i] + offset);
        pointers[i] = lane_pointer<S>(view, warp, inst, address, sizeof(M), c + i);
      }
      collect<M>(to + c, pointers, 0);
      continue;
    }
    for (u32 left = some; left != 0; left &= left - 1) {
      const int lane = c + std::countr_zero(left);
      const auto address = static_cast<Address<S>>(at[lane] + offset);
      to[lane] = extended(fetch<M>(lane_pointer<S>(view, warp, inst, address, sizeof(M), lane)));
    }
  }
}

// Who tests the shape of the addresses: the instruction for itself, for others behind it too, or one
// before it (see address_sharing.cpp).
enum class Test { own, first, again };

// 0: each chunk of lanes at one address; Stride: neighbours; or no_stride.
template <u32 Stride, Test T, class A>
inline u32 stride_of(const A* at, const Inst& inst, Warp& warp) {
  if constexpr (T == Test::again) return warp.strides[inst.stride];
  u32 stride = Warp::no_stride;
  if (at[0] == at[1]) {
    if (all_strided<0>(at)) stride = 0;
  } else if (all_strided<Stride>(at)) {
    stride = Stride;
  }
  if constexpr (T == Test::first) warp.strides[inst.stride] = stride;
  return stride;
}

template <class M, Space S, Test T>
void load(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  const View<S> view(warp, inst);
  if (T != Test::own || mask == all_lanes) [[likely]] {
    const u32 stride = stride_of<sizeof(M), T>(at, inst, warp);
    if (stride == sizeof(M)) {
      if (view.holds_all(at, offset, chunk * sizeof(M), sizeof(M))) [[likely]] {
#pragma GCC unroll 4
        for (int c = 0; c < lanes; c += chunk) move_in<M>(to + c, view.host_of(at[c], offset));
        return;
      }
    } else if (stride == 0 && view.holds_all(at, offset, sizeof(M), sizeof(M))) [[likely]] {
#pragma GCC unroll 4
      for (int c = 0; c < lanes; c += chunk) spread<M>(to + c, view.host_of(at[c], offset));
      return;
    }
  }
  load_chunks<M, S>(rows, inst, warp, mask);
}

template <class M, Space S>
[[gnu::noinline]] void store_chunks(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  const View<S> view(warp, inst);
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    if (some == 0xff && strided(at + c, at[c], Address<S>{sizeof(M)})) {
      const auto address = static_cast<Address<S>>(at[c] + offset);
      if (std::byte* host =
              chunk_pointer<S>(view, warp, inst, address, chunk * sizeof(M), sizeof(M))) {
        move_out<M>(host, from + c);
        continue;
      }
    }
    for (u32 left = some; left != 0; left &= left - 1) {
      const int lane = c + std::countr_zero(left);
      const auto address = static_cast<Address<S>>(at[lane] + offset);
      const M value = static_cast<M>(from[lane]);
      std::memcpy(lane_pointer<S>(view, warp, inst, address, sizeof(M), lane), &value,
                  sizeof value);
    }
  }
}

template <class M, Space S, Test T>
void store(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const auto* at = addresses<S>(rows, inst);
  const bool together =
      (T != Test::own || mask == all_lanes) && stride_of<sizeof(M), T>(at, inst, warp) == sizeof(M);
  if (together) [[likely]] {
    const View<S> view(warp, inst);
    const auto offset = static_cast<Address<S>>(inst.immediate);
    if (view.holds_all(at, offset, chunk * sizeof(M), sizeof(M))) [[likely]] {
      const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
#pragma GCC unroll 4
      for (int c = 0; c < lanes; c += chunk) move_out<M>(view.host_of(at[c], offset), from + c);
      return;
    }
  }
  store_chunks<M, S>(rows, inst, warp, mask);
}

// Vectors of V elements. Eight neighbours are V * 8 elements in a row; else the lanes' pointers first,
// then element by element (a result may be the address).
template <class M, Space S, int V>
void load_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  constexpr u32 bytes = V * sizeof(M);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  const View<S> view(warp, inst);
  const std::byte* pointers[lanes];
  Row<M> discarded[lanes];
  Row<M>* to[V];
  for (int e = 0; e < V; ++e) {
    to[e] = inst.list[e] == no_row ? discarded : reinterpret_cast<Row<M>*>(rows + inst.list[e]);
  }
  for (int c = 0; c < lanes; c += chunk) {
    const u32 some = (mask >> c) & 0xff;
    if (some == 0xff && strided(at + c, at[c], Address<S>{bytes})) {
      const auto address = static_cast<Address<S>>(at[c] + offset);
      if (const std::byte* host =
              chunk_pointer<S>(view, warp, inst, address, chunk * bytes, bytes)) {
        for (int i = 0; i < chunk; ++i) pointers[c + i] = host + static_cast<u32>(i) * bytes;
        continue;
      }
    }
    for (u32 left = some; left != 0; left &= left - 1) {
      const int lane = c + std::countr_zero(left);
      pointers[lane] = lane_pointer<S>(view, warp, inst, static_cast<Address<S>>(at[lane] + offset),
                                       bytes, lane);
    }
  }
  if (mask == all_lanes) {
    for (int c = 0; c < lanes; c += chunk) {
      for (int e = 0; e < V; ++e) {
        collect<M>(to[e] + c, pointers + c, static_cast<std::size_t>(e) * sizeof(M));
      }
    }
    return;
  }
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    for (int e = 0; e < V; ++e) {
      to[e][i] = extended(fetch<M>(pointers[i] + static_cast<std::size_t>(e) * sizeof(M)));
    }
  }
}

template <class M, Space S, int V>
void store_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  constexpr u32 bytes = V * sizeof(M);
  const auto* at = addresses<S>(rows, inst);
  const auto offset = static_cast<Address<S>>(inst.immediate);
  const View<S> view(warp, inst);
  const Row<M>* from[V];
  for (int e = 0; e < V; ++e) from[e] = reinterpret_cast<const Row<M>*>(rows + inst.list[e]);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    M values[V];
    for (int e = 0; e < V; ++e) values[e] = static_cast<M>(from[e][lane]);
    std::byte* host =
        lane_pointer<S>(view, warp, inst, static_cast<Address<S>>(at[lane] + offset), bytes, lane);
    std::memcpy(host, values, bytes);
  }
}

template <class M, Space S>
Handler load_shape(int vector) {
  switch (vector) {
    case 0:
      return &load<M, S, Test::own>;
    case 2:
      return &load_vector<M, S, 2>;
    case 4:
      return &load_vector<M, S, 4>;
    default:
      return &load_vector<M, S, 8>;
  }
}

template <class M, Space S>
Handler store_shape(int vector) {
  switch (vector) {
    case 0:
      return &store<M, S, Test::own>;
    case 2:
      return &store_vector<M, S, 2>;
    case 4:
      return &store_vector<M, S, 4>;
    default:
      return &store_vector<M, S, 8>;
  }
}

template <class M>
Handler load_of(Space space, int vector) {
  switch (space) {
    case Space::global:
      return load_shape<M, Space::global>(vector);
    case Space::shared:
      return load_shape<M, Space::shared>(vector);
    case Space::local:
      return load_shape<M, Space::local>(vector);
    default:
      return load_shape<M, Space::generic>(vector);
  }
}

template <class M>
Handler store_of(Space space, int vector) {
  switch (space) {
    case Space::global:
      return store_shape<M, Space::global>(vector);
    case Space::shared:
      return store_shape<M, Space::shared>(vector);
    case Space::local:
      return store_shape<M, Space::local>(vector);
    default:
      return store_shape<M, Space::generic>(vector);
  }
}

}  // namespace

Handler load_handler(Space space, int bytes, Extend extend, int vector) {
  const bool sign = extend == Extend::sign;
  switch (bytes) {
    case 1:
      return sign ? load_of<s8>(space, vector) : load_of<u8>(space, vector);
    case 2:
      return sign ? load_of<s16>(space, vector) : load_of<u16>(space, vector);
    case 4:
      return load_of<u32>(space, vector);
    default:
      return load_of<u64>(space, vector);
  }
}

Handler store_handler(Space space, int bytes, int vector) {
  switch (bytes) {
    case 1:
      return store_of<u8>(space, vector);
    case 2:
      return store_of<u16>(space, vector);
    case 4:
      return store_of<u32>(space, vector);
    default:
      return store_of<u64>(space, vector);
  }
}

namespace {

using SharedShapes = std::map<Handler, SharedShape>;

template <class M, Space S>
void add_shared_shapes(SharedShapes& known) {
  known[&load<M, S, Test::own>] = {&load<M, S, Test::first>, &load<M, S, Test::again>};
  known[&store<M, S, Test::own>] = {&store<M, S, Test::first>, &store<M, S, Test::again>};
}

template <class M>
void add_shared_shapes(SharedShapes& known) {
  add_shared_shapes<M, Space::global>(known);
  add_shared_shapes<M, Space::shared>(known);
  add_shared_shapes<M, Space::generic>(known);
}

}  // namespace

SharedShape shared_shape_of(Handler handler) {
  static const SharedShapes known = [] {
    SharedShapes shapes;
    add_shared_shapes<u8>(shapes);
    add_shared_shapes<s8>(shapes);
    add_shared_shapes<u16>(shapes);
    add_shared_shapes<s16>(shapes);
    add_shared_shapes<u32>(shapes);
    add_shared_shapes<u64>(shapes);
    return shapes;
  }();
  const auto found = known.find(handler);
  return found == known.end() ? SharedShape{} : found->second;
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
