// Loads of a warp.
//
// Nearly all kernels have two shapes of addresses: neighbours, and all the same, for each half of
// the warp (blocks are often 16 threads wide) or for each chunk of eight lanes. They are moved as
// vectors, eight lanes at a time; anything else is gathered lane by lane, with one test for all
// lanes. Bounds are tested against the allocation that this instruction touched last.
#include "common/emulator/exec/chunk_moves.hpp"
#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

// Any mask, any shape, any number of allocations.
template <class M, Space S, bool Indexed>
[[gnu::noinline]] void load_lanes(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  u64 at[lanes];
  if (place_anywhere<S>(warp, inst, lanes_at, mask, sizeof(M), at)) {
    return collect_all<M>(to, mask, [&](int i) { return host_pointer(at[i]); });
  }
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    to[lane] = extended(fetch<M>(resolve(warp, inst, S, lanes_at[lane], sizeof(M), lane)));
  }
}

// What is no simple shape, or not in one allocation.
template <class M, Space S, bool Indexed, Test T>
[[gnu::noinline, gnu::cold]] void load_other(std::byte* rows, const Inst& inst, Warp& warp,
                                             u32 mask) {
  if constexpr (T == Test::first) remember_scattered<S, Indexed>(rows, inst, warp, sizeof(M));
  load_lanes<M, S, Indexed>(rows, inst, warp, mask);
}

// All lanes of each chunk at one address, or neighbours. False: nothing was done.
template <class M, Space S, bool Indexed, Test T, bool Same>
[[gnu::always_inline]] inline bool load_chunks(std::byte* rows, const Inst& inst, Warp& warp,
                                               const LaneAddresses<S, Indexed>& lanes_at) {
  constexpr u32 size = Same ? sizeof(M) : chunk * sizeof(M);
  if (!(Same ? lanes_at.are_same() : lanes_at.template are_neighbours<sizeof(M)>())) return false;
  const View<S> view(warp, inst);
  const ChunkAddresses chunks(lanes_at);
  if (!chunks.lie_in(view, size, sizeof(M))) return false;
  if constexpr (T == Test::first) {
    remember(shape_of(inst, warp), lanes_at.offset(), Same ? 0 : sizeof(M), size, chunks);
  }
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    Same ? spread<M>(to + c * chunk, view.host(chunks.at[c]))
         : move_in<M>(to + c * chunk, view.host(chunks.at[c]));
  }
  return true;
}

template <class M, Space S, bool Indexed, Test T>
[[gnu::noinline]] void load_in_chunks(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  if (lanes_at.first_two_are_same()
          ? load_chunks<M, S, Indexed, T, true>(rows, inst, warp, lanes_at)
          : load_chunks<M, S, Indexed, T, false>(rows, inst, warp, lanes_at)) [[likely]] {
    return;
  }
  load_other<M, S, Indexed, T>(rows, inst, warp, mask);
}

// The same of half warps.
template <class M, Space S, bool Indexed, Test T, bool Same>
[[gnu::always_inline]] inline bool load_halves(std::byte* rows, const Inst& inst, Warp& warp,
                                               const LaneAddresses<S, Indexed>& lanes_at) {
  if (!(Same ? lanes_at.halves_are_same() : lanes_at.template halves_are_neighbours<sizeof(M)>()))
    return false;
  constexpr u32 size = Same ? sizeof(M) : half_warp * sizeof(M);
  const View<S> view(warp, inst);
  const HalfAddresses halves(lanes_at);
  if (!halves.lie_in(view, size, sizeof(M))) return false;
  if constexpr (T == Test::first) {
    remember(shape_of(inst, warp), lanes_at.offset(), Same ? 0 : sizeof(M), size, halves);
  }
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  for (const u64 half : {halves.first, halves.second}) {
    const std::byte* from = view.host(half);
    Same ? spread<M>(to, from) : move_in<M>(to, from);
    Same ? spread<M>(to + chunk, from) : move_in<M>(to + chunk, from + chunk * sizeof(M));
    to += half_warp;
  }
  return true;
}

template <class M, Space S, bool Indexed, Test T>
void load(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  if constexpr (S == Space::local) {
    load_other<M, S, Indexed, T>(rows, inst, warp, mask);
  } else {
    if (T == Test::own && mask != all_lanes) [[unlikely]] {
      return load_other<M, S, Indexed, T>(rows, inst, warp, mask);
    }
    const LaneAddresses<S, Indexed> lanes_at(rows, inst);
    if (lanes_at.first_two_are_same()
            ? load_halves<M, S, Indexed, T, true>(rows, inst, warp, lanes_at)
            : load_halves<M, S, Indexed, T, false>(rows, inst, warp, lanes_at)) [[likely]] {
      return;
    }
    load_in_chunks<M, S, Indexed, T>(rows, inst, warp, mask);
  }
}

template <class M>
[[gnu::noinline]] void gather(Row<M>* to, const std::byte* host, const AddressShape& shape) {
  collect_all<M>(to, all_lanes, [&](int i) { return host + shape.lane_from_low[i]; });
}

template <class M, Space S, bool Indexed>
void load_again(std::byte* rows, const Inst& inst, Warp& warp, u32) {
  const AddressShape& shape = shape_of(inst, warp);
  const std::byte* host = find_shape<S, Indexed>(rows, inst, warp, shape, sizeof(M));
  if (host == nullptr) [[unlikely]] {
    return load_lanes<M, S, Indexed>(rows, inst, warp, all_lanes);
  }
  auto* to = reinterpret_cast<Row<M>*>(rows + inst.d);
  if (shape.stride == sizeof(M)) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) move_in<M>(to + c * chunk, host + shape.chunk_from_low[c]);
  } else if (shape.stride == 0) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) spread<M>(to + c * chunk, host + shape.chunk_from_low[c]);
  } else {
    gather<M>(to, host, shape);
  }
}

// Vectors of V elements, element by element: all addresses first, for a result may be the address.
template <class M, Space S, bool Indexed, int V>
void load_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  constexpr u32 bytes = V * sizeof(M);
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  u64 at[lanes];
  if (!place_anywhere<S>(warp, inst, lanes_at, mask, bytes, at)) {
    for (u32 left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      at[lane] = reinterpret_cast<u64>(resolve(warp, inst, S, lanes_at[lane], bytes, lane));
    }
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask & (1u << lane)) == 0) at[lane] = at[std::countr_zero(mask)];
    }
  }
  for (int e = 0; e < V; ++e) {
    if (inst.list[e] == no_row) continue;
    const u64 shift = static_cast<u64>(e) * sizeof(M);
    collect_all<M>(reinterpret_cast<Row<M>*>(rows + inst.list[e]), mask,
                   [&](int i) { return host_pointer(at[i] + shift); });
  }
}

template <class M, Space S, bool Indexed>
Handler load_vector_shape(int vector) {
  return vector == 2   ? &load_vector<M, S, Indexed, 2>
         : vector == 4 ? &load_vector<M, S, Indexed, 4>
                       : &load_vector<M, S, Indexed, 8>;
}

template <class M, Space S, bool Indexed>
HandlerSet load_set(int vector) {
  if (vector != 0) return {load_vector_shape<M, S, Indexed>(vector), nullptr, nullptr};
  if constexpr (sizeof(M) < 4) {  // seldom many in a row: a third of the code
    return {&load<M, S, Indexed, Test::own>, nullptr, nullptr};
  } else {
    return {&load<M, S, Indexed, Test::own>, &load<M, S, Indexed, Test::first>,
            &load_again<M, S, Indexed>};
  }
}

template <class M, Space S>
MemoryHandlers load_in(int vector) {
  if constexpr (S == Space::global || S == Space::generic) {
    return {load_set<M, S, false>(vector), load_set<M, S, true>(vector)};
  } else {
    return {load_set<M, S, false>(vector), {}};
  }
}

template <class M>
MemoryHandlers load_of(Space space, int vector) {
  switch (space) {
    case Space::global:
      return load_in<M, Space::global>(vector);
    case Space::shared:
      return load_in<M, Space::shared>(vector);
    case Space::local:
      return load_in<M, Space::local>(vector);
    default:
      return load_in<M, Space::generic>(vector);
  }
}

}  // namespace

MemoryHandlers load_handlers(Space space, int bytes, Extend extend, int vector) {
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

}  // namespace ladder::emulator
