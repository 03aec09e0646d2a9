// The door that watched instructions come by: it works out which memory they are about to touch,
// tells the block's observers, and lets them go on.
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

constexpr std::uint32_t everyone = ~0u;

// `interested`: by place in access_observers.
void tell(const WarpAccess& access, std::uint32_t interested) {
  ThreadBlock& block = access.warp.block;
  interested &= block.listeners[static_cast<std::size_t>(access.space)];
  for (; interested != 0; interested &= interested - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(interested));
    block.access_observers[place]->access(access);
  }
}

[[gnu::noinline]] std::uint32_t ask_who_is_interested(SiteTally& site, const Warp& warp,
                                                      const Inst& inst, std::uint64_t low,
                                                      std::uint64_t extent) {
  Interest common{0, ~std::uint64_t{0}, 0};
  std::uint32_t bit = 1;
  for (BlockObserver* observer : warp.block.access_observers) {
    const Interest one = observer->interest(inst, low);
    const std::uint64_t end = std::min(common.begin + common.bytes, one.begin + one.bytes);
    common.begin = std::max(common.begin, one.begin);
    common.bytes = end - common.begin;
    if (one.observers != 0) common.observers |= bit;
    bit <<= 1;
  }
  if (!common.holds(low, extent)) return everyone;  // it is not the same all over
  site.interest = common;
  return common.observers;
}

// Of global memory.
std::uint32_t who_is_interested(SiteTally& site, const Warp& warp, const Inst& inst,
                                std::uint64_t base) {
  const std::uint64_t low = base + site.pattern.low, extent = site.pattern.extent;
  if (site.interest.holds(low, extent)) [[likely]]
    return site.interest.observers;
  return ask_who_is_interested(site, warp, inst, low, extent);
}

WarpAccess access_of(const std::byte* rows, const Inst& inst, Warp& warp) {
  return {.warp = warp,
          .inst = inst,
          .rows = rows,
          .space = static_cast<Space>(inst.space),
          .traffic = inst.traffic,
          .order = inst.order,
          .mask = 0,
          .bytes = 0,
          .stride = no_stride,
          .low = 0,
          .extent = 0,
          .address = {}};
}

// Addresses that have been worked out.
struct Given {
  const AddressOfLane& at;
  std::uint64_t operator[](int lane) const { return at[static_cast<std::size_t>(lane)]; }
};

// Sees to it that the site's pattern is that of the lanes' addresses.
template <class R, class Lanes>
void find_pattern(SiteTally& site, Warp& warp, const Inst& inst, const R* row,
                  const Lanes& lanes_at, std::uint32_t mask, std::uint32_t bytes, Where where) {
  AccessPattern& pattern = site.pattern;
  if (pattern.where != where || !lies_alike(pattern, row, mask)) [[unlikely]] {
    count_waiting(site, warp.worker.tally);
    site.forget_costs();
    learn(pattern, ++warp.worker.tally.patterns, where, row, lanes_at, mask, bytes);
  }
  if (inst.sharing == Sharing::leads) {
    shape_of(inst, warp).pattern = mask == all_lanes ? pattern.number : 0;
  } else if (inst.sharing == Sharing::follows && mask == all_lanes) {
    const std::uint64_t of_leader = shape_of(inst, warp).pattern;
    if (of_leader != 0) pattern.of_leader = of_leader;
  }
}

// One lane stands for all of an atomic operation that is done once for them.
std::uint32_t lanes_counted(const Inst& inst, std::uint32_t mask) {
  const bool atomic = inst.traffic == Traffic::atomic || inst.traffic == Traffic::float_atomic;
  return atomic && inst.one_address ? mask & (~mask + 1) : mask;
}

std::uint32_t stride_of(const SiteTally& site, std::uint32_t mask) {
  if (mask != all_lanes) return no_stride;
  return site.pattern.mask == all_lanes ? site.pattern.stride : 0;  // 0: lanes_counted was one
}

// The lanes of `mask`, which all point into `space`; access.address and bytes are set.
void observe_part(WarpAccess& access, Space space, std::uint32_t mask) {
  if (mask == 0) return;
  Warp& warp = access.warp;
  const Inst& inst = access.inst;
  SiteTally& site = warp.frame->tally->sites[inst.cache];
  access.space = space;
  access.mask = mask;
  const Where where = space == Space::shared  ? Where::shared
                      : space == Space::local ? Where::local
                                              : Where::global;
  find_pattern(site, warp, inst, access.address.data(), Given{access.address},
               lanes_counted(inst, mask), access.bytes, where);
  const std::uint64_t base = Given{access.address}[std::countr_zero(mask)];
  if (warp.launch.counts) {
    count_access(site, warp.worker.tally, inst, base, access.bytes, where);
    if (access.continues) {  // sectors and wavefronts, but no request of its own
      site.settle();
      --site.at[static_cast<std::size_t>(where)].requests;
    }
  }
  access.stride = stride_of(site, mask);
  access.low = base + site.pattern.low;
  access.extent = site.pattern.extent;
  tell(access, space == Space::global ? who_is_interested(site, warp, inst, base) : everyone);
  access.other_space = true;  // what comes next
}

// Sorts access.address, which is generic, by where it points.
void observe_by_space(WarpAccess& access) {
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
  observe_part(access, Space::shared, shared);
  observe_part(access, Space::local, local);
  observe_part(access, Space::global, mask & ~shared & ~local);
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

void run(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const bool whole = mask == all_lanes && inst.guard == no_row;
  (whole ? inst.inner_all : inst.operation)(rows, inst, warp, mask);
}

template <Where W>
constexpr Space space_of = W == Where::shared  ? Space::shared
                           : W == Where::local ? Space::local
                                               : Space::global;

template <Where W, bool Indexed>
[[gnu::noinline]] void tell_of(SiteTally& site, const std::byte* rows, const Inst& inst, Warp& warp,
                               std::uint32_t mask, std::uint32_t interested) {
  const LaneAddresses<space_of<W>, Indexed> lanes_at(rows, inst);
  WarpAccess access = access_of(rows, inst, warp);
  access.mask = mask;
  access.bytes = bytes_of(inst);
  access.stride = stride_of(site, mask);
  for (int i = 0; i < lanes; ++i) access.address[static_cast<std::size_t>(i)] = lanes_at[i];
  access.low = lanes_at[std::countr_zero(mask)] + site.pattern.low;
  access.extent = site.pattern.extent;
  tell(access, interested);
}

template <Where W, bool Indexed>
using RowOf = std::conditional_t<Indexed, std::uint32_t, Address<space_of<W>>>;

// Shared, global and local addresses lie in one space each.
template <Where W, bool Indexed, bool Follows>
[[gnu::noinline]] void told_access(std::byte* rows, const Inst& inst, Warp& warp,
                                   std::uint32_t mask) {
  constexpr Space space = space_of<W>;
  using Row = RowOf<W, Indexed>;
  ThreadBlock& block = warp.block;
  if (!block.accesses_matter) return run(rows, inst, warp, mask);
  const LaneAddresses<space, Indexed> lanes_at(rows, inst);
  SiteTally& site = warp.frame->tally->sites[inst.cache];
  const std::uint32_t bytes = bytes_of(inst);
  const bool known =
      Follows && mask == all_lanes && site.pattern.of_leader == shape_of(inst, warp).pattern;
  if (!known) {
    find_pattern(site, warp, inst, reinterpret_cast<const Row*>(rows + inst.s[0]), lanes_at,
                 lanes_counted(inst, mask), bytes, W);
  }
  const std::uint64_t base = lanes_at[Follows && known ? 0 : std::countr_zero(mask)];
  if (warp.launch.counts) count_access(site, warp.worker.tally, inst, base, bytes, W);
  constexpr bool in_global = space == Space::global;
  std::uint32_t interested = in_global ? who_is_interested(site, warp, inst, base)
                                       : block.listeners[static_cast<int>(space)];
  if (W == Where::shared && (interested & block.read_log_bit) != 0 &&
      inst.traffic == Traffic::load && inst.order == Order::weak &&
      block.read_log->keep(warp, inst, site.pattern, base, bytes)) {
    interested &= ~block.read_log_bit;
  }
  if (interested != 0) tell_of<W, Indexed>(site, rows, inst, warp, mask, interested);
  run(rows, inst, warp, mask);
}

[[gnu::noinline]] void count_waiting_and_run(std::byte* rows, const Inst& inst, Warp& warp,
                                             std::uint32_t mask) {
  count_waiting(warp.frame->tally->sites[inst.cache], warp.worker.tally);
  run(rows, inst, warp, mask);
}

// The short way for what is common: only counters want to know of an access to that memory, and a
// full warp's addresses lie as they did. Nothing is saved and restored here: whatever calls others
// first is told_access.
template <Where W, bool Indexed, bool Follows>
void observed_access(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  constexpr auto on = &told_access<W, Indexed, Follows>;
  constexpr Space space = space_of<W>;
  const ThreadBlock& block = warp.block;
  if (!block.counts || mask != all_lanes) return on(rows, inst, warp, mask);
  SiteTally& site = warp.frame->tally->sites[inst.cache];
  const std::uint32_t interested = space == Space::global
                                       ? site.interest.observers
                                       : block.listeners[static_cast<std::size_t>(space)];
  if (interested != 0) return on(rows, inst, warp, mask);
  const LaneAddresses<space, Indexed> lanes_at(rows, inst);
  if constexpr (Follows) {
    if (site.pattern.of_leader != shape_of(inst, warp).pattern) return on(rows, inst, warp, mask);
  } else {
    const auto* row = reinterpret_cast<const RowOf<W, Indexed>*>(rows + inst.s[0]);
    const bool known = site.pattern.where == W && lies_alike(site.pattern, row, mask);
    if (!known) return on(rows, inst, warp, mask);
    if (inst.sharing == Sharing::leads) shape_of(inst, warp).pattern = site.pattern.number;
  }
  const std::uint64_t base = lanes_at[0];
  const std::uint64_t low = base + site.pattern.low;
  if (space == Space::global && !block.only_counts &&
      !site.interest.holds(low, site.pattern.extent))
    return on(rows, inst, warp, mask);
  if constexpr (W == Where::global) {
    site.waiting_bases[site.waiting] = base;
    site.waiting_inst = &inst;
    if (++site.waiting == SiteTally::most_waiting)
      return count_waiting_and_run(rows, inst, warp, mask);
  } else {
    PhaseCost& phase = site.phases[0];
    if (phase.of_base != phase_of(base, W)) return on(rows, inst, warp, mask);
    ++phase.times;
  }
  run(rows, inst, warp, mask);
}

void fill_addresses(WarpAccess& access) {
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    access.address[static_cast<std::size_t>(lane)] = lane_address(access.rows, access.inst, lane);
  }
}

void observed_generic(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto generic = static_cast<std::size_t>(Space::generic);
  if (warp.launch.counts || warp.block.listeners[generic] != 0) {
    WarpAccess access = access_of(rows, inst, warp);
    access.mask = mask;
    access.bytes = bytes_of(inst);
    fill_addresses(access);
    observe_by_space(access);
  }
  run(rows, inst, warp, mask);
}

// cp.async: its read; and its way into shared memory.
template <bool Indexed>
void observed_copy(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  if (warp.launch.counts) {
    WarpAccess from = access_of(rows, inst, warp);
    from.mask = mask;
    fill_addresses(from);
    Addresses to{};
    std::copy_n(reinterpret_cast<const std::uint32_t*>(rows + inst.s[1]), lanes, to.begin());
    count_copy(warp.frame->tally->sites[inst.cache], inst, from.address, to, mask);
  }
  observed_access<Where::global, Indexed, false>(rows, inst, warp, mask);
}

template <Where W, bool Indexed>
Handler door_in(const Inst& inst) {
  return inst.sharing == Sharing::follows ? &observed_access<W, Indexed, true>
                                          : &observed_access<W, Indexed, false>;
}

Handler door_of(const Inst& inst) {
  switch (inst.counted) {
    case Counted::nothing:
      return nullptr;
    case Counted::generic:
      return &observed_generic;
    case Counted::shared:
      return door_in<Where::shared, false>(inst);
    case Counted::local:
      return door_in<Where::local, false>(inst);
    case Counted::constant:
      return inst.indexed ? door_in<Where::constant, true>(inst)
                          : door_in<Where::constant, false>(inst);
    case Counted::global:
      break;
  }
  if (inst.traffic == Traffic::async_copy)
    return inst.indexed ? &observed_copy<true> : &observed_copy<false>;
  return inst.indexed ? door_in<Where::global, true>(inst) : door_in<Where::global, false>(inst);
}

// ldmatrix and its kin: as the parts that the hardware loads and stores.
void observed_matrix(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  for_matrix_parts(rows, inst, [&](const MatrixPart& part) {
    if ((part.mask & mask) == 0 || !warp.block.accesses_matter) return;
    WarpAccess access = access_of(rows, inst, warp);
    access.mask = part.mask & mask;
    access.bytes = part.bytes;
    access.continues = part.continues;
    access.address = part.address;
    if (access.space == Space::generic) {
      observe_by_space(access);
    } else {
      observe_part(access, access.space, access.mask);
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
  BlockTally& block = warp.frame->tally->blocks[inst.cache];
  ++block.entries;
  block.lanes += static_cast<std::uint64_t>(std::popcount(mask));
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
  SiteTally& site = warp.frame->tally->sites[inst.cache];
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
    door = door_of(inst);
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
