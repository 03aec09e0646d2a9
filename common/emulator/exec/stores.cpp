// Stores of a warp: neighbours as vectors, anything else lane by lane in their order (the last of
// those at one address wins). See loads.cpp.
#include "common/emulator/exec/chunk_moves.hpp"
#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

template <class M, Space S, bool Indexed>
[[gnu::noinline]] void store_lanes(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  u64 at[lanes];
  const bool placed = place_anywhere<S>(warp, inst, lanes_at, mask, sizeof(M), at);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* to =
        placed ? host_pointer(at[lane]) : resolve(warp, inst, S, lanes_at[lane], sizeof(M), lane);
    const M value = static_cast<M>(from[lane]);
    std::memcpy(to, &value, sizeof value);
  }
}

// What is no simple shape, or not in one allocation.
template <class M, Space S, bool Indexed, Test T>
[[gnu::noinline, gnu::cold]] void store_other(std::byte* rows, const Inst& inst, Warp& warp,
                                              u32 mask) {
  if constexpr (T == Test::first) remember_scattered<S, Indexed>(rows, inst, warp, sizeof(M));
  store_lanes<M, S, Indexed>(rows, inst, warp, mask);
}

template <class M, Space S, bool Indexed, Test T>
[[gnu::noinline]] void store_in_chunks(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  if (lanes_at.template are_neighbours<sizeof(M)>()) [[likely]] {
    constexpr u32 size = chunk * sizeof(M);
    const View<S> view(warp, inst);
    const ChunkAddresses chunks(lanes_at);
    if (chunks.lie_in(view, size, sizeof(M))) [[likely]] {
      if constexpr (T == Test::first) {
        remember(shape_of(inst, warp), lanes_at.offset(), sizeof(M), size, chunks);
      }
      const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) move_out<M>(view.host(chunks.at[c]), from + c * chunk);
      return;
    }
  }
  store_other<M, S, Indexed, T>(rows, inst, warp, mask);
}

template <class M, Space S, bool Indexed, Test T>
void store(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  if constexpr (S == Space::local) {
    store_other<M, S, Indexed, T>(rows, inst, warp, mask);
  } else {
    if (T == Test::own && mask != all_lanes) [[unlikely]] {
      return store_other<M, S, Indexed, T>(rows, inst, warp, mask);
    }
    const LaneAddresses<S, Indexed> lanes_at(rows, inst);
    constexpr u32 size = half_warp * sizeof(M);
    const View<S> view(warp, inst);
    const HalfAddresses halves(lanes_at);
    if (!lanes_at.template halves_are_neighbours<sizeof(M)>() ||
        !halves.lie_in(view, size, sizeof(M))) [[unlikely]] {
      return store_in_chunks<M, S, Indexed, T>(rows, inst, warp, mask);
    }
    if constexpr (T == Test::first) {
      remember(shape_of(inst, warp), lanes_at.offset(), sizeof(M), size, halves);
    }
    const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
    for (const u64 half : {halves.first, halves.second}) {
      move_out<M>(view.host(half), from);
      move_out<M>(view.host(half) + chunk * sizeof(M), from + chunk);
      from += half_warp;
    }
  }
}

template <class M>
[[gnu::noinline]] void scatter(const Row<M>* from, std::byte* host, const AddressShape& shape) {
  for (std::size_t i = 0; i < lanes; ++i) {
    const M value = static_cast<M>(from[i]);
    std::memcpy(host + shape.lane_from_low[i], &value, sizeof value);
  }
}

template <class M, Space S, bool Indexed>
void store_again(std::byte* rows, const Inst& inst, Warp& warp, u32) {
  const AddressShape& shape = shape_of(inst, warp);
  std::byte* host = find_shape<S, Indexed>(rows, inst, warp, shape, sizeof(M));
  if (host == nullptr || shape.stride == 0) [[unlikely]] {
    return store_lanes<M, S, Indexed>(rows, inst, warp, all_lanes);
  }
  const auto* from = reinterpret_cast<const Row<M>*>(rows + inst.s[1]);
  if (shape.stride == Warp::scattered) {
    return scatter<M>(from, host, shape);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) move_out<M>(host + shape.chunk_from_low[c], from + c * chunk);
}

template <class M, Space S, bool Indexed, int V>
void store_vector(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  constexpr u32 bytes = V * sizeof(M);
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  const Row<M>* from[V];
  for (int e = 0; e < V; ++e) from[e] = reinterpret_cast<const Row<M>*>(rows + inst.list[e]);
  u64 at[lanes];
  const bool placed = place_anywhere<S>(warp, inst, lanes_at, mask, bytes, at);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    M values[V];
    for (int e = 0; e < V; ++e) values[e] = static_cast<M>(from[e][lane]);
    std::byte* to =
        placed ? host_pointer(at[lane]) : resolve(warp, inst, S, lanes_at[lane], bytes, lane);
    std::memcpy(to, values, bytes);
  }
}

template <class M, Space S, bool Indexed>
Handler store_vector_shape(int vector) {
  return vector == 2   ? &store_vector<M, S, Indexed, 2>
         : vector == 4 ? &store_vector<M, S, Indexed, 4>
                       : &store_vector<M, S, Indexed, 8>;
}

template <class M, Space S, bool Indexed>
HandlerSet store_set(int vector) {
  if (vector != 0) return {store_vector_shape<M, S, Indexed>(vector), nullptr, nullptr};
  if constexpr (sizeof(M) < 4) {  // as for loads
    return {&store<M, S, Indexed, Test::own>, nullptr, nullptr};
  } else {
    return {&store<M, S, Indexed, Test::own>, &store<M, S, Indexed, Test::first>,
            &store_again<M, S, Indexed>};
  }
}

template <class M, Space S>
MemoryHandlers store_in(int vector) {
  if constexpr (S == Space::global || S == Space::generic) {
    return {store_set<M, S, false>(vector), store_set<M, S, true>(vector)};
  } else {
    return {store_set<M, S, false>(vector), {}};
  }
}

template <class M>
MemoryHandlers store_of(Space space, int vector) {
  switch (space) {
    case Space::global:
      return store_in<M, Space::global>(vector);
    case Space::shared:
      return store_in<M, Space::shared>(vector);
    case Space::local:
      return store_in<M, Space::local>(vector);
    default:
      return store_in<M, Space::generic>(vector);
  }
}

}  // namespace

MemoryHandlers store_handlers(Space space, int bytes, int vector) {
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

}  // namespace ladder::emulator
