// The door that watched instructions come by: it works out which memory they are about to touch, tells
// the block's observers, and lets them go on.
#include <algorithm>
#include <bit>
#include <string_view>

#include "common/emulator/exec/collective.hpp"
#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/matrix_memory.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/access_counts.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

Traffic traffic_of(const ptx::Instruction& instruction) {
  const std::string_view text = instruction.opcode;
  const auto head = text.substr(0, text.find('.'));
  if (head == "st") return Traffic::store;
  if (head == "cp") return Traffic::async_copy;
  if (head != "atom" && head != "red") return Traffic::load;
  const bool is_float = text.substr(text.rfind('.') + 1).find('f') != std::string_view::npos;
  return is_float ? Traffic::float_atomic : Traffic::atomic;
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  const std::string_view text = instruction.opcode;
  for (std::size_t at = 0; (at = text.find('.', at)) != std::string_view::npos;) {
    ++at;
    if (text.substr(at, text.find('.', at) - at) == modifier) return true;
  }
  return false;
}

Order order_of(const ptx::Instruction& instruction, Traffic traffic) {
  if (has(instruction, "acq_rel")) return Order::acquire_release;
  if (has(instruction, "acquire")) return Order::acquire;
  if (has(instruction, "release")) return Order::release;
  if (traffic == Traffic::atomic || traffic == Traffic::float_atomic) return Order::relaxed;
  const bool strong =
      has(instruction, "relaxed") || has(instruction, "volatile") || has(instruction, "mmio");
  return strong ? Order::relaxed : Order::weak;
}

template <class A>
std::uint32_t shape(const A* at, std::uint32_t bytes) {
  if (all_strided<0>(at)) return 0;
  bool neighbours = true;
  for (int c = 0; c < lanes && neighbours; c += chunk) {
    neighbours = strided(at + c, at[c], static_cast<A>(bytes));
  }
  return neighbours ? bytes : Warp::no_stride;
}

void tell(const WarpAccess& access) {
  for (BlockObserver* observer : access.warp.block.access_observers) {
    if (!observer->ignores(access.space)) observer->access(access);
  }
}

// Shared, global and local addresses lie in one space each.
template <Space S, bool Indexed>
void tell_simple(WarpAccess& access) {
  const LaneAddresses<S, Indexed> lanes_at(access.rows, access.inst);
  for (int i = 0; i < lanes; ++i) access.address[static_cast<std::size_t>(i)] = lanes_at[i];
  if (access.mask == all_lanes) access.stride = shape(access.address.data(), access.bytes);
  tell(access);
}

// Sorts access.address, which is generic, by where it points.
void tell_by_space(WarpAccess& access) {
  const std::uint32_t mask = access.mask;
  std::uint32_t shared = 0, local = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t& address = access.address[static_cast<std::size_t>(lane)];
    const std::uint64_t window = address & window_mask;
    if (window != shared_window && window != local_window) continue;
    (window == shared_window ? shared : local) |= 1u << lane;
    address &= ~window_mask;
  }
  const auto tell_part = [&](Space space, std::uint32_t part) {
    if (part == 0) return;
    access.space = space;
    access.mask = part;
    access.stride = Warp::no_stride;
    if (part == all_lanes) access.stride = shape(access.address.data(), access.bytes);
    tell(access);
  };
  tell_part(Space::shared, shared);
  tell_part(Space::local, local);
  tell_part(Space::global, mask & ~shared & ~local);
}

void tell_generic(WarpAccess& access) {
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    access.address[static_cast<std::size_t>(lane)] = lane_address(access.rows, access.inst, lane);
  }
  tell_by_space(access);
}

WarpAccess access_of(std::byte* rows, const Inst& inst, Warp& warp) {
  return {.warp = warp,
          .inst = inst,
          .rows = rows,
          .space = static_cast<Space>(inst.space),
          .traffic = inst.traffic,
          .order = inst.order,
          .mask = 0,
          .bytes = 0,
          .stride = Warp::no_stride,
          .address = {}};
}

Counted counted_as(const ptx::Instruction& instruction, Space space) {
  if (has(instruction, "const")) return Counted::constant;
  if (instruction.opcode.find(".param") != std::string::npos) {
    return space == Space::local ? Counted::nothing : Counted::constant;
  }
  switch (space) {
    case Space::global:
      return Counted::global;
    case Space::shared:
      return Counted::shared;
    case Space::local:
      return Counted::local;
    default:
      return Counted::generic;
  }
}

void tell_observers(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto space = static_cast<Space>(inst.space);
  const auto& observers = warp.block.access_observers;
  if (std::all_of(observers.begin(), observers.end(),
                  [&](const BlockObserver* observer) { return observer->ignores(space); })) {
    return;
  }
  WarpAccess access = access_of(rows, inst, warp);
  access.mask = mask;
  access.bytes = inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
  if (space == Space::shared || space == Space::local) {
    tell_simple<Space::shared, false>(access);
  } else if (space == Space::global) {
    inst.indexed ? tell_simple<Space::global, true>(access)
                 : tell_simple<Space::global, false>(access);
  } else {
    tell_generic(access);
  }
}

void observed_access(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  if (FunctionTally* tally = warp.frame->tally) {
    count_access(tally->sites[inst.cache], warp, rows, inst, mask);
  }
  if (!warp.block.access_observers.empty()) tell_observers(rows, inst, warp, mask);
  const bool whole = mask == all_lanes && inst.guard == no_row;
  (whole ? inst.inner_all : inst.operation)(rows, inst, warp, mask);
}

// ldmatrix and its kin: as the parts that the hardware loads and stores.
void observed_matrix(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  for_matrix_parts(rows, inst, [&](const MatrixPart& part) {
    if ((part.mask & mask) == 0) return;
    if (FunctionTally* tally = warp.frame->tally) {
      count_part(tally->sites[inst.cache], warp, inst, part.address,
                 {part.mask & mask, part.bytes, part.continues});
    }
    if (warp.block.access_observers.empty()) return;
    WarpAccess access = access_of(rows, inst, warp);
    access.mask = part.mask & mask;
    access.bytes = part.bytes;
    access.continues = part.continues;
    access.address = part.address;
    if (access.space == Space::generic) {
      tell_by_space(access);
    } else {
      if (access.mask == all_lanes) access.stride = shape(access.address.data(), access.bytes);
      tell(access);
    }
  });
  inst.operation(rows, inst, warp, mask);
}

void observed_fence(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  for (const auto& observer : warp.block.observers) observer->fence(warp, inst, mask);
  inst.operation(rows, inst, warp, mask);
}

void observed_collective(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  for (const auto& observer : warp.block.observers) observer->collective(warp, inst, rows, mask);
  inst.operation(rows, inst, warp, mask);
}

void observed_warp_sync(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto* members = reinterpret_cast<const std::uint32_t*>(rows + inst.s[0]);
  for (std::uint32_t left = mask; left != 0;) {
    const std::uint32_t met = members[std::countr_zero(left)] & warp.live();
    const std::uint32_t going_on = met & left;
    for (const auto& observer : warp.block.observers) observer->warp_met(warp, met, going_on);
    left &= ~(going_on | (left & -left));
  }
  observed_collective(rows, inst, warp, mask);
}

void observed_entry(std::byte*, const Inst& inst, Warp& warp, std::uint32_t mask) {
  if (FunctionTally* tally = warp.frame->tally) {
    BlockTally& block = tally->blocks[inst.cache];
    ++block.entries;
    block.lanes += static_cast<std::uint64_t>(std::popcount(mask));
  }
  for (BlockObserver* observer : warp.block.entry_observers) {
    observer->entered(warp, *warp.running(), mask);
  }
}

void observed_entry_past(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto& sites = warp.frame->function->passed_by[inst.cache];
  for (const auto& observer : warp.block.observers) observer->went_past(warp, sites, mask);
  observed_entry(rows, inst, warp, mask);
}

void count_execution(std::byte*, const Inst& inst, Warp& warp, std::uint32_t mask) {
  FunctionTally* tally = warp.frame->tally;
  if (tally == nullptr) return;
  SiteTally& site = tally->sites[inst.cache];
  ++site.executions;
  site.lanes += static_cast<std::uint64_t>(std::popcount(mask));
}

}  // namespace

void add_observing(Inst& inst) {
  if (inst.source == nullptr) return;
  const std::string_view opcode = inst.source->opcode;
  Handler door = nullptr;
  if (is_matrix_access(inst)) {
    inst.traffic = opcode.find("st") == 0 || opcode.find(".store") != std::string_view::npos
                       ? Traffic::store
                       : Traffic::load;
    inst.counted = counted_as(*inst.source, static_cast<Space>(inst.space));
    door = &observed_matrix;
  } else if (inst.bytes != 0) {
    inst.traffic = traffic_of(*inst.source);
    inst.order = order_of(*inst.source, inst.traffic);
    inst.counted = counted_as(*inst.source, static_cast<Space>(inst.space));
    door = &observed_access;
  } else if (opcode.starts_with("membar") || opcode.starts_with("fence")) {
    door = &observed_fence;
  } else if (opcode.starts_with("bar.warp")) {
    door = &observed_warp_sync;
  } else if (meets_members(opcode)) {
    door = &observed_collective;
  }
  if (door == nullptr) return;
  // `all` may count on what full masks left behind. Behind a guard there is no room for it.
  inst.operation = inst.some;
  inst.inner_all = inst.all;
  inst.some = inst.all = door;
}

Inst entry_instruction_past(std::uint32_t block) {
  Inst inst = entry_instruction(block);
  inst.some = inst.all = &observed_entry_past;
  return inst;
}

Inst entry_instruction(std::uint32_t block) {
  Inst inst;
  inst.some = inst.all = &observed_entry;
  inst.cache = block;
  return inst;
}

Inst counting_instruction(std::uint32_t site, const Inst& guarded) {
  Inst inst;
  inst.some = inst.all = &count_execution;
  inst.cache = site;
  inst.guard = guarded.guard;
  inst.guard_negated = guarded.guard_negated;
  return inst;
}

}  // namespace ladder::emulator
