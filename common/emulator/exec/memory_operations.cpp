// The address of a lane, and the byte of the host behind it.
#include "common/emulator/exec/memory_operations.hpp"

#include <algorithm>
#include <cstring>

#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/memory_faults.hpp"

namespace ladder::emulator {

u64 lane_address(const std::byte* rows, const Inst& inst, int lane) {
  const auto space = static_cast<Space>(inst.space);
  if (space == Space::shared || space == Space::local) {
    return LaneAddresses<Space::shared, false>(rows, inst)[lane];
  }
  return inst.indexed ? LaneAddresses<Space::global, true>(rows, inst)[lane]
                      : LaneAddresses<Space::global, false>(rows, inst)[lane];
}

namespace {

std::byte* local_pointer(Warp& warp, u64 offset, u32 bytes, int lane) {
  if (offset >= warp.local_stride || bytes > warp.local_stride - offset) return nullptr;
  return warp.local + static_cast<u64>(lane) * warp.local_stride + offset;
}

}  // namespace

std::byte* resolve(Warp& warp, const Inst& inst, Space space, u64 address, u32 bytes, int lane) {
  const Access access{inst.source, space, address, bytes, lane, inst.shared_begin, inst.shared_end};
  if ((address & (bytes - 1)) != 0) throw_misaligned(warp, access);
  if (space == Space::shared) {
    const u64 end = std::min(inst.shared_end, warp.shared_bytes);
    if (address >= inst.shared_begin && address + bytes <= end) return warp.shared + address;
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
  bool may_go = false;
  if (!warp.launch.memory->find_range(address, found, &may_go) || !found.holds(address, bytes)) {
    throw_out_of_bounds(warp, access);
  }
  if (!may_go) range = found;
  return found.host(address);
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
