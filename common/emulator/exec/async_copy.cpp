#include "common/emulator/exec/async_copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

using ptx::Space;

void start_copy(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto* to = reinterpret_cast<const std::uint32_t*>(rows + inst.s[1]);
  const std::uint32_t bytes = inst.bytes;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t read = bytes;
    if (inst.s[2] != no_row) {
      read = std::min(bytes, reinterpret_cast<const std::uint32_t*>(rows + inst.s[2])[lane]);
    }
    const std::uint64_t address = lane_address(rows, inst, lane);
    const std::byte* from = nullptr;
    if (read == bytes) {
      from = resolve(warp, inst, Space::global, address, bytes, lane);
    } else if (read > 0) {
      from = resolve_generic(warp, inst.source, address, read, lane);
    }
    std::byte* target = resolve(warp, inst, Space::shared, to[lane], bytes, lane);
    warp.copies.push_back({lane, warp.committed[lane], target, from, read, bytes - read});
  }
}

void commit_copies(std::byte*, const Inst&, Warp& warp, std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    ++warp.committed[std::countr_zero(left)];
  }
}

void wait_for_copies(std::byte*, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto is_due = [&](const AsyncCopy& copy) {
    if (((mask >> copy.lane) & 1) == 0) return false;
    const std::int64_t newer = std::int64_t{warp.committed[copy.lane]} - copy.group;
    return inst.immediate < 0 || newer > inst.immediate;
  };
  for (const AsyncCopy& copy : warp.copies) {
    if (!is_due(copy)) continue;
    if (copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
    std::memset(copy.to + copy.bytes, 0, copy.zeros);
  }
  std::erase_if(warp.copies, is_due);
}

}  // namespace ladder::emulator
