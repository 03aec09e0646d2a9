#include "common/emulator/exec/shuffle.hpp"

#include <array>

#include "common/emulator/exec/lanewise.hpp"

namespace ladder::emulator {

namespace {

typedef u32 Words [[gnu::vector_size(32), gnu::may_alias]];

// The lane that `lane` reads from; 32 and more where that lies outside its segment.
template <Shuffle Kind>
inline u32 lane_read(u32 lane, u32 b, u32 c) {
  const u32 segment = (c >> 8) & 31, clamp = c & 31, distance = b & 31;
  const u32 last = (lane & segment) | (clamp & ~segment);
  if constexpr (Kind == Shuffle::up) {
    const u32 from = lane - distance;
    return static_cast<s32>(from) >= static_cast<s32>(last) ? from : 32u;
  } else {
    const u32 from = Kind == Shuffle::down        ? lane + distance
                     : Kind == Shuffle::butterfly ? lane ^ distance
                                                  : (distance & ~segment) | (lane & segment);
    return from <= last ? from : 32u;
  }
}

void write(std::byte* rows, const Inst& inst, const Words* result, u32 valid, u32 mask) {
  auto* to = reinterpret_cast<u32*>(rows + inst.d);
  const auto* from = reinterpret_cast<const u32*>(result);
  if (mask == all_lanes) {
    std::memcpy(to, from, lanes * sizeof *to);
  } else {
#pragma GCC ivdep
    for (int i = 0; i < lanes; ++i) to[i] = (mask & (1u << i)) != 0 ? from[i] : to[i];
  }
  if (inst.e == no_row) return;
  u32 bits;
  std::memcpy(&bits, rows + inst.e, 4);
  bits = (valid & mask) | (bits & ~mask);
  std::memcpy(rows + inst.e, &bits, 4);
}

template <Shuffle Kind>
void shuffle(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto* b = reinterpret_cast<const u32*>(rows + inst.s[1]);
  const auto* c = reinterpret_cast<const u32*>(rows + inst.s[2]);
  alignas(32) u32 from[lanes];
  u32 valid = 0;
  for (int begin = 0; begin < lanes; begin += 8) {
    alignas(32) s32 inside[8];
    for (int i = 0; i < 8; ++i) {
      const int lane = begin + i;
      const u32 read = lane_read<Kind>(static_cast<u32>(lane), b[lane], c[lane]);
      inside[i] = read < 32 ? -1 : 0;
      from[lane] = read < 32 ? read : static_cast<u32>(lane);
    }
    valid |= pack(inside) << begin;
  }
  const auto* a = reinterpret_cast<const Words*>(rows + inst.s[0]);
  Words result[4];
  for (std::size_t n = 0; n < 4; ++n) {
    const Words at = reinterpret_cast<const Words*>(from)[n];
    const Words low = __builtin_shuffle(a[0], a[1], at), high = __builtin_shuffle(a[2], a[3], at);
    result[n] = (at & 16) != 0 ? high : low;
  }
  write(rows, inst, result, valid, mask);
}

template <Shuffle Kind>
ShuffleMap map_of(u32 b, u32 c) {
  ShuffleMap map;
  for (u32 lane = 0; lane < lanes; ++lane) {
    ShuffleMap::Chunk& here = map.chunks[lane / 8];
    const u32 read = lane_read<Kind>(lane, b, c);
    if (read < 32) map.valid |= 1u << lane;
    const u32 from = read < 32 ? read : lane;
    if (lane % 8 == 0) here.first = here.second = from / 8;
    if (from / 8 != here.first && here.second == here.first) here.second = from / 8;
    map.known = map.known && (from / 8 == here.first || from / 8 == here.second);
    here.index[lane % 8] = from % 8 + (from / 8 == here.first ? 0 : 8);
  }
  return map;
}

}  // namespace

Handler shuffle_handler(Shuffle kind) {
  static constexpr std::array<Handler, 4> handlers = {
      &shuffle<Shuffle::up>, &shuffle<Shuffle::down>, &shuffle<Shuffle::butterfly>,
      &shuffle<Shuffle::index>};
  return handlers[static_cast<std::size_t>(kind)];
}

Shuffle shuffle_kind(std::string_view opcode) {
  const auto has = [&](std::string_view part) { return opcode.find(part) != opcode.npos; };
  return has(".up.")     ? Shuffle::up
         : has(".down.") ? Shuffle::down
         : has(".bfly.") ? Shuffle::butterfly
                         : Shuffle::index;
}

namespace {

// Calls `with.template operator()<kind>()`.
template <class With>
auto dispatch(Shuffle kind, const With& with) {
  switch (kind) {
    case Shuffle::up:
      return with.template operator()<Shuffle::up>();
    case Shuffle::down:
      return with.template operator()<Shuffle::down>();
    case Shuffle::butterfly:
      return with.template operator()<Shuffle::butterfly>();
    default:
      return with.template operator()<Shuffle::index>();
  }
}

}  // namespace

std::optional<int> shuffle_source(Shuffle kind, int lane, u32 b, u32 c) {
  const u32 read =
      dispatch(kind, [&]<Shuffle Kind>() { return lane_read<Kind>(static_cast<u32>(lane), b, c); });
  return read < 32 ? std::optional<int>(static_cast<int>(read)) : std::nullopt;
}

ShuffleMap shuffle_map(Shuffle kind, u32 b, u32 c) {
  return dispatch(kind, [&]<Shuffle Kind>() { return map_of<Kind>(b, c); });
}

void mapped_shuffle(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto& map = *reinterpret_cast<const ShuffleMap*>(inst.immediate);
  const auto* a = reinterpret_cast<const Words*>(rows + inst.s[0]);
  Words result[4];
  for (std::size_t n = 0; n < 4; ++n) {
    const ShuffleMap::Chunk& chunk = map.chunks[n];
    result[n] = __builtin_shuffle(a[chunk.first], a[chunk.second],
                                  *reinterpret_cast<const Words*>(chunk.index));
  }
  write(rows, inst, result, map.valid, mask);
}

}  // namespace ladder::emulator
