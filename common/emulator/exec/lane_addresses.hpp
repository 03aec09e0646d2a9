// Where the lanes of a memory instruction point, and whether an allocation holds it.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "common/emulator/exec/address_shapes.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

using ptx::Space;

// Shared and local addresses are 32 bits wide, others 64.
template <Space S>
using Address = std::conditional_t<S == Space::shared || S == Space::local, u32, u64>;

// The addresses of the lanes: a row of them, or of indices of 32 bits that are scaled; and what is
// added to all.
template <Space S, bool Indexed>
class LaneAddresses {
 public:
  using A = Address<S>;

  LaneAddresses(const std::byte* rows, const Inst& inst)
      : row_(rows + inst.s[0]), scale_(inst.scale), index_unsigned_(inst.index_unsigned) {
    A shift;
    std::memcpy(&shift, rows + inst.shift, sizeof shift);
    offset_ = static_cast<A>(inst.immediate) + shift;
  }

  A offset() const { return offset_; }
  A operator[](int lane) const {
    if constexpr (Indexed) {
      const u32 index = indices()[lane];
      const u64 wide = index_unsigned_ ? index : static_cast<u64>(static_cast<s32>(index));
      return (wide << scale_) + offset_;
    } else {
      return reinterpret_cast<const A*>(row_)[lane] + offset_;
    }
  }

  // Each chunk of eight lanes at one address.
  bool are_same() const {
    if constexpr (Indexed)
      return all_strided<0>(indices());
    else
      return all_strided<0>(reinterpret_cast<const A*>(row_));
  }
  // Each chunk of eight lanes `Bytes` apart; if there are indices, those are the scale.
  template <unsigned Bytes>
  bool are_neighbours() const {
    if constexpr (Indexed)
      return all_strided<1>(indices()) && all_ascend(indices(), index_unsigned_);
    else
      return all_strided<Bytes>(reinterpret_cast<const A*>(row_));
  }
  // The same of each half of the warp.
  bool halves_are_same() const {
    if constexpr (Indexed)
      return halves_strided<0>(indices());
    else
      return halves_strided<0>(reinterpret_cast<const A*>(row_));
  }
  template <unsigned Bytes>
  bool halves_are_neighbours() const {
    if constexpr (Indexed)
      return halves_strided<1>(indices()) && !wraps_behind(0) && !wraps_behind(half_warp);
    else
      return halves_strided<Bytes>(reinterpret_cast<const A*>(row_));
  }
  bool first_two_are_same() const {
    if constexpr (Indexed)
      return indices()[0] == indices()[1];
    else
      return reinterpret_cast<const A*>(row_)[0] == reinterpret_cast<const A*>(row_)[1];
  }

 private:
  const u32* indices() const { return reinterpret_cast<const u32*>(row_); }
  // Whether an index passes the greatest within half a warp from a lane on.
  bool wraps_behind(int lane) const {
    const u32 from_least = indices()[lane] ^ (index_unsigned_ ? 0 : 0x80000000u);
    return from_least > ~u32{0} - (half_warp - 1);
  }

  const std::byte* row_;
  A offset_;
  int scale_;
  bool index_unsigned_;
};

// What an instruction may touch without asking: the allocation it touched last, the block's shared
// memory, or the lanes' local memory, one after another.
template <Space S>
struct View {
  using A = Address<S>;
  u64 begin = 0;
  u64 end = 0;
  u64 to_host = 0;  // host address - device address

  View(const Warp& warp, const Inst& inst) {
    if constexpr (S == Space::shared) {
      begin = inst.shared_begin;
      end = std::min<u64>(inst.shared_end, warp.shared_bytes);
      to_host = reinterpret_cast<u64>(warp.shared);
    } else if constexpr (S == Space::local) {
      end = warp.local_stride;
      to_host = reinterpret_cast<u64>(warp.local);
    } else {
      const Range& range = warp.cache[inst.cache];
      begin = range.begin;
      end = range.begin + range.bytes;
      to_host = static_cast<u64>(range.to_host);
    }
  }

  // Whether [low, low + size) lies inside. `low` may be any number.
  bool holds(u64 low, u64 size) const { return low >= begin && low <= end && size <= end - low; }
  std::byte* host(u64 address) const { return reinterpret_cast<std::byte*>(address + to_host); }

  // Host addresses of the lanes, each good for `size` bytes; false: not all are. Those outside the
  // mask get what the first inside has.
  template <class Lanes>
  bool place_lanes(const Lanes& lanes_at, u32 mask, u32 size, u64 (&at)[lanes]) const {
    if (end < begin || size > end - begin) return false;
    const u64 bytes = end - begin, last = bytes - size;
    const u64 first = lanes_at[std::countr_zero(mask)];
    u64 wrong = 0, low = 0;
#pragma GCC ivdep
    for (int i = 0; i < lanes; ++i) {
      const u64 address = (mask & (1u << i)) != 0 ? lanes_at[i] : first;
      const u64 from_begin = address - begin;
      wrong |= from_begin | (last - from_begin);  // the sign bit: outside
      low |= address;
      at[i] = address + to_host + (S == Space::local ? static_cast<u64>(i) * bytes : 0);
    }
    return ((wrong >> 63) | (low & (size - 1))) == 0;
  }
};

// The view that holds `address`: looks the allocation up, for the next time too unless it may go
// meanwhile. Generic addresses may lie in shared memory.
template <Space S>
[[gnu::noinline]] View<S> look_up(Warp& warp, const Inst& inst, Address<S> address) {
  if constexpr (S == Space::generic) {
    if ((address & window_mask) == shared_window) {
      View<S> view(warp, inst);
      view.begin = shared_window;
      view.end = shared_window + warp.shared_bytes;
      view.to_host = reinterpret_cast<u64>(warp.shared) - shared_window;
      return view;
    }
  }
  if constexpr (S == Space::generic || S == Space::global) {
    Range& cached = warp.cache[inst.cache];
    bool may_go = false;
    if (warp.launch.memory->find_range(address, cached, &may_go) && !warp.launch.memcheck &&
        warp.launch.memory->reserved(address)) {
      cached = warp.launch.memory->everything();
    }
    const View<S> view(warp, inst);
    if (may_go) cached = Range{};
    return view;
  }
  return View<S>(warp, inst);
}

// The host addresses of all lanes, if one view holds them; false: ask lane by lane.
template <Space S, class Lanes>
inline bool place_anywhere(Warp& warp, const Inst& inst, const Lanes& lanes_at, u32 mask, u32 size,
                           u64 (&at)[lanes]) {
  if (View<S>(warp, inst).place_lanes(lanes_at, mask, size, at)) [[likely]] {
    return true;
  }
  const View<S> found = look_up<S>(warp, inst, lanes_at[std::countr_zero(mask)]);
  return found.place_lanes(lanes_at, mask, size, at);
}

// Device addresses of the chunks' first lanes.
struct ChunkAddresses {
  u64 at[4];

  template <class Lanes>
  explicit ChunkAddresses(const Lanes& lanes_at)
      : at{lanes_at[0], lanes_at[chunk], lanes_at[2 * chunk], lanes_at[3 * chunk]} {}
  u64 low() const { return std::min(at[0], at[2]); }
  u64 high() const { return std::max(at[1], at[3]); }
  // Whether they ascend within each half warp, as they nearly always do (blocks are 16 wide or a
  // multiple), and are all good for `size` bytes.
  template <Space S>
  [[gnu::always_inline]] bool lie_in(const View<S>& view, u32 size, u32 align) const {
    return at[0] <= at[1] && at[2] <= at[3] && view.holds(low(), high() - low() + size) &&
           ((at[0] | at[1] | at[2] | at[3]) & (align - 1)) == 0;
  }
};

// The same for the two halves of a warp.
struct HalfAddresses {
  u64 first, second;

  template <class Lanes>
  explicit HalfAddresses(const Lanes& lanes_at) : first(lanes_at[0]), second(lanes_at[half_warp]) {}
  u64 low() const { return std::min(first, second); }
  u64 high() const { return std::max(first, second); }
  template <Space S>
  [[gnu::always_inline]] bool lie_in(const View<S>& view, u32 size, u32 align) const {
    return view.holds(first, size) && view.holds(second, size) &&
           ((first | second) & (align - 1)) == 0;
  }
};

// Who tests the shape of the addresses: the instruction for itself, for others behind it too, or
// one before it (see address_sharing.cpp).
enum class Test { own, first, again };

inline AddressShape& shape_of(const Inst& inst, Warp& warp) {
  auto* const first = reinterpret_cast<std::byte*>(warp.worker.shapes);
  return *reinterpret_cast<AddressShape*>(first + inst.shape);
}

// Keeps what was found for the instructions behind. `size`: bytes from each address on.
template <class A>
[[gnu::always_inline]] inline void remember(AddressShape& shape, A offset, u32 stride, u32 size,
                                            const ChunkAddresses& chunks) {
  shape.stride = stride;
  const u64 low = chunks.low();
  shape.low = static_cast<A>(static_cast<A>(low) - offset);
  shape.bytes = chunks.high() - low + size;
  for (int c = 0; c < 4; ++c) shape.chunk_from_low[c] = chunks.at[c] - low;
}

// The same of half warps.
template <class A>
[[gnu::always_inline]] inline void remember(AddressShape& shape, A offset, u32 stride, u32 size,
                                            const HalfAddresses& halves) {
  shape.stride = stride;
  const u64 low = halves.low();
  shape.low = static_cast<A>(static_cast<A>(low) - offset);
  shape.bytes = halves.high() - low + size;
  shape.chunk_from_low[0] = halves.first - low;
  shape.chunk_from_low[1] = halves.first - low + chunk * stride;
  shape.chunk_from_low[2] = halves.second - low;
  shape.chunk_from_low[3] = halves.second - low + chunk * stride;
}

// Keeps where lanes lie that are no neighbours.
template <Space S, bool Indexed>
void remember_scattered(const std::byte* rows, const Inst& inst, Warp& warp, u32 size) {
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  const View<S> view(warp, inst);
  AddressShape& shape = shape_of(inst, warp);
  shape.stride = Warp::no_stride;
  shape.bytes = ~u64{0};  // fits nowhere
  u64 at[lanes];
  if (!view.place_lanes(lanes_at, all_lanes, size, at)) return;
  const auto [low, high] = std::minmax_element(std::begin(at), std::end(at));
  if (*high - *low >= ~u32{0}) return;
  shape.stride = Warp::scattered;
  shape.low = static_cast<Address<S>>(*low - view.to_host - lanes_at.offset());
  shape.bytes = *high - *low + size;
  for (std::size_t i = 0; i < lanes; ++i) {
    shape.lane_from_low[i] = static_cast<u32>(at[i] - *low);
  }
}

// Host address of what a remembered shape's least address has become here; nullptr: ask lane by
// lane.
template <Space S, bool Indexed>
inline std::byte* find_shape(const std::byte* rows, const Inst& inst, const Warp& warp,
                             const AddressShape& shape, u32 align) {
  const View<S> view(warp, inst);
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  const u64 low = static_cast<Address<S>>(shape.low + lanes_at.offset());
  return view.holds(low, shape.bytes) && (low & (align - 1)) == 0 ? view.host(low) : nullptr;
}

}  // namespace ladder::emulator
