#include "common/emulator/exec/async_copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/mbarrier.hpp"
#include "common/emulator/exec/memory_faults.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"

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
  for (const auto& observer : warp.block.observers) observer->copy_started(warp, inst, mask, to);
}

void commit_copies(std::byte*, const Inst&, Warp& warp, std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    ++warp.committed[std::countr_zero(left)];
  }
}

namespace {

// Where `bytes` bytes at an address that is a multiple of 16 lie.
std::byte* bulk_pointer(Warp& warp, const Inst& inst, Space space, std::uint64_t address,
                        std::uint32_t bytes, int lane) {
  const Access access{inst.source, space, address, bytes, lane};
  if (address % 16 != 0) throw_misaligned(warp, {inst.source, space, address, 16, lane});
  if (space == Space::shared) {
    if (address > warp.shared_bytes || bytes > warp.shared_bytes - address) {
      throw_out_of_bounds(warp, access);
    }
    return warp.shared + address;
  }
  Range range;
  if (!warp.launch.memory->find_range(address, range) || !range.holds(address, bytes)) {
    throw_out_of_bounds(warp, access);
  }
  return range.host(address);
}

void tell_arrived(Warp& warp, int lane, const std::byte* object) {
  for (const auto& observer : warp.block.observers) {
    observer->mbarrier_arrived(warp, 1u << lane, static_cast<std::uint32_t>(object - warp.shared));
  }
}

// Does the copies for which is_due(copy, number) holds, in order.
template <class IsDue>
void finish(Warp& warp, const IsDue& is_due) {
  std::vector<AsyncCopy>& copies = warp.copies;
  std::size_t kept = 0;
  for (std::size_t number = 0; number < copies.size(); ++number) {
    const AsyncCopy copy = copies[number];
    if (!is_due(copy, number)) {
      copies[kept++] = copy;
      continue;
    }
    if (copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
    if (copy.zeros > 0) std::memset(copy.to + copy.bytes, 0, copy.zeros);
    const auto offset = [&](const std::byte* at) {
      return static_cast<std::uint32_t>(at - warp.shared);
    };
    for (const auto& observer : warp.block.observers) {
      if (copy.to != nullptr) {
        observer->copy_done(warp, copy.lane, offset(copy.to), copy.bytes + copy.zeros);
      }
      if (copy.arrives != nullptr) {
        observer->mbarrier_arrived(warp, std::uint32_t{1} << copy.lane, offset(copy.arrives));
      }
    }
    if (copy.arrives != nullptr) tell_arrived(warp, copy.lane, copy.arrives);
    if (copy.bulk) {
      complete_transfer(copy.arrives, copy.bytes);
    } else if (copy.arrives != nullptr) {
      arrive_for_copy(copy.arrives);
    }
  }
  copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(kept), copies.end());
}

}  // namespace

void wait_for_copies(std::byte*, const Inst& inst, Warp& warp, std::uint32_t mask) {
  finish(warp, [&](const AsyncCopy& copy, std::size_t) {
    if (copy.bulk || ((mask >> copy.lane) & 1) == 0) return false;
    const std::int64_t newer = std::int64_t{warp.committed[copy.lane]} - copy.group;
    return inst.immediate < 0 || newer > inst.immediate;
  });
}

template <bool Noinc>
void arrive_after_copies(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* object = mbarrier_object(rows, inst, warp, lane);
    if (!Noinc) expect_one_more(object);
    const auto last =
        std::find_if(warp.copies.rbegin(), warp.copies.rend(),
                     [&](const AsyncCopy& copy) { return copy.lane == lane && !copy.bulk; });
    if (last == warp.copies.rend()) {
      tell_arrived(warp, lane, object);
      arrive_for_copy(object);
    } else {
      warp.copies.push_back({lane, last->group, nullptr, nullptr, 0, 0, object});
    }
  }
}

void start_bulk_copy(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto word = [&](int source, int lane) {
    return reinterpret_cast<const std::uint32_t*>(rows + inst.s[source])[lane];
  };
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t bytes = word(3, lane);
    if (bytes % 16 != 0) {
      throw KernelFault{FaultKind::misaligned_address,
                        "bulk copy of " + std::to_string(bytes) + " bytes",
                        "",
                        "its size must be a multiple of 16 bytes",
                        lane,
                        inst.source};
    }
    std::byte* object = mbarrier_object(rows, inst, warp, lane);
    const std::uint64_t from = reinterpret_cast<const std::uint64_t*>(rows + inst.s[2])[lane];
    warp.copies.push_back(
        {lane, 0, bulk_pointer(warp, inst, Space::shared, word(1, lane), bytes, lane),
         bulk_pointer(warp, inst, Space::global, from, bytes, lane), bytes, 0, object, true});
  }
}

template void arrive_after_copies<false>(std::byte*, const Inst&, Warp&, std::uint32_t);
template void arrive_after_copies<true>(std::byte*, const Inst&, Warp&, std::uint32_t);

void finish_copies_for(const Warp& warp, const std::byte* object) {
  for (const auto& other : warp.block.warps()) {
    std::vector<AsyncCopy>& copies = other->copies;
    std::size_t due[lanes] = {};  // of each lane: what stands before its last arrival there
    bool any = false;
    for (std::size_t number = 0; number < copies.size(); ++number) {
      if (copies[number].arrives != object) continue;
      if (!copies[number].bulk) due[copies[number].lane] = number + 1;
      any = true;
    }
    if (!any) continue;
    finish(*other, [&](const AsyncCopy& copy, std::size_t number) {
      return copy.bulk ? copy.arrives == object : number < due[copy.lane];
    });
  }
}

}  // namespace ladder::emulator
