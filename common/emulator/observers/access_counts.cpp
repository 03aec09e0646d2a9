#include "common/emulator/observers/access_counts.hpp"

#include <bit>

#include "common/emulator/exec/footprint.hpp"
#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using Addresses = std::array<std::uint64_t, lanes>;

bool is_atomic(Traffic traffic) {
  return traffic == Traffic::atomic || traffic == Traffic::float_atomic;
}

// ceil(a / b)
std::uint32_t over(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

struct Cost {
  std::uint32_t units, ideal;
};

void add(SiteTally& site, Where where, Cost cost) {
  auto& to = site.at[static_cast<std::size_t>(where)];
  ++to.requests;
  to.units += cost.units;
  to.ideal += cost.ideal;
}

// Shared memory, or global memory and the set in which its sectors are marked.
struct Target {
  SiteTally& site;
  SectorSet* set;  // nullptr: shared memory

  void count(Cost cost) const { add(site, set != nullptr ? Where::global : Where::shared, cost); }
  Cost cost(const Stretches& stretches) const {
    if (set == nullptr) return {wavefronts_of(stretches), over(bytes_of(stretches), 128)};
    std::uint32_t sectors = 0;
    for_units(stretches, 5, [&](std::uint64_t first, std::uint64_t last) {
      sectors += static_cast<std::uint32_t>(last - first + 1);
      set->mark(first, last, site);
    });
    return {sectors, over(bytes_of(stretches), 32)};
  }
  // No units: there is no short way.
  Cost cost(const Strided& row) const {
    const std::uint32_t bytes = lanes * row.bytes;
    if (set == nullptr) return {row.wavefronts(), over(bytes, 128)};
    if (row.touches_every_sector()) {
      set->mark(row.lowest() >> 5, (row.lowest() + row.span() - 1) >> 5, site);
    } else {
      std::uint64_t at = row.base;
      for (int i = 0; i < lanes; ++i, at += static_cast<std::uint64_t>(row.stride)) {
        set->mark(at >> 5, (at + row.bytes - 1) >> 5, site);
      }
    }
    return {row.sectors(), over(bytes, 32)};
  }
};

template <class A>
Cost cost_of_lanes(const Target& target, const A* at, A offset, std::uint32_t bytes,
                   std::uint32_t mask) {
  Stretches stretches;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    stretches.add(static_cast<A>(at[std::countr_zero(left)] + offset), bytes);
  }
  stretches.settle();
  return target.cost(stretches);
}

// All lanes: mostly neighbours or one address in each chunk of eight, or all in even steps.
template <class A>
Cost cost_of_all_lanes(const Target& target, const A* at, A offset, std::uint32_t bytes) {
  const A step = static_cast<A>(at[1] - at[0]);
  bool chunks = step == 0 || step == bytes;
  for (int c = 0; c < lanes && chunks; c += chunk) chunks = strided(at + c, at[c], step);
  if (chunks) {
    Stretches stretches;
    for (int c = 0; c < lanes; c += chunk) {
      stretches.add(static_cast<A>(at[c] + offset), step == 0 ? bytes : chunk * bytes);
    }
    stretches.settle();
    return target.cost(stretches);
  }
  bool even = step != 0;
  for (int c = 0; c < lanes && even; c += chunk) {
    even = strided(at + c, static_cast<A>(at[0] + static_cast<A>(c) * step), step);
  }
  if (even) {
    const auto stride = static_cast<std::int64_t>(static_cast<std::make_signed_t<A>>(step));
    const Cost cost = target.cost(Strided{static_cast<A>(at[0] + offset), stride, bytes});
    if (cost.units != 0) return cost;
  }
  return cost_of_lanes(target, at, offset, bytes, all_lanes);
}

template <class A>
void count_plain(const Target& target, const A* at, A offset, std::uint32_t bytes,
                 std::uint32_t mask) {
  target.count(mask == all_lanes ? cost_of_all_lanes(target, at, offset, bytes)
                                 : cost_of_lanes(target, at, offset, bytes, mask));
}

// Lanes that update one address go one after another: in each turn one lane for every address.
template <class A>
void count_in_turns(const Target& target, const A* at, A offset, std::uint32_t bytes,
                    std::uint32_t mask) {
  Cost cost{0, cost_of_lanes(target, at, offset, bytes, mask).ideal};
  for (std::uint32_t left = mask; left != 0;) {
    std::uint32_t turn = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      bool taken = false;
      for (std::uint32_t others = turn; others != 0 && !taken; others &= others - 1) {
        taken = at[std::countr_zero(others)] == at[lane];
      }
      if (!taken) turn |= 1u << lane;
    }
    cost.units += cost_of_lanes(target, at, offset, bytes, turn).units;
    left &= ~turn;
  }
  target.count(cost);
}

template <class A>
void count_at(const Target& target, const A* at, A offset, std::uint32_t bytes, std::uint32_t mask,
              Traffic traffic) {
  const bool in_turns =
      target.set != nullptr ? traffic == Traffic::float_atomic : is_atomic(traffic);
  if (in_turns) return count_in_turns(target, at, offset, bytes, mask);
  count_plain(target, at, offset, bytes, mask);
}

// A thread's 4-byte words of local memory lie 128 bytes apart, those of a warp's lanes side by side.
void count_local(SiteTally& site, const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  std::uint32_t sectors = 0;
  for (int c = 0; c < lanes; c += chunk) {
    Stretches words;
    for (std::uint32_t left = mask & (0xffu << c); left != 0; left &= left - 1) {
      words.add(at[static_cast<std::size_t>(std::countr_zero(left))], bytes);
    }
    words.settle();
    for_units(words, 2, [&](std::uint64_t first, std::uint64_t last) {
      sectors += static_cast<std::uint32_t>(last - first + 1);
    });
  }
  const auto active = static_cast<std::uint32_t>(std::popcount(mask));
  add(site, Where::local, {sectors, over(active * bytes, 32)});
}

void count_constant(SiteTally& site, const Addresses& at, std::uint32_t mask) {
  std::uint32_t different = 0;
  for (std::uint32_t left = mask; left != 0; ++different) {
    const std::uint64_t address = at[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (at[static_cast<std::size_t>(lane)] == address) left &= ~(1u << lane);
    }
  }
  add(site, Where::constant, {different, 1});
}

Addresses addresses_of(const std::byte* rows, const Inst& inst, std::uint32_t mask) {
  Addresses at;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    at[static_cast<std::size_t>(lane)] = lane_address(rows, inst, lane);
  }
  return at;
}

Target global_target(Tally& tally, SiteTally& site, Traffic traffic) {
  const bool writes = traffic == Traffic::store || is_atomic(traffic);
  return {site, writes ? &tally.written : &tally.read};
}

// Lanes may point anywhere.
void count_generic(Tally& tally, SiteTally& site, Traffic traffic, Addresses at,
                   std::uint32_t bytes, std::uint32_t mask) {
  std::uint32_t shared = 0, local = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t& address = at[static_cast<std::size_t>(lane)];
    const std::uint64_t window = address & window_mask;
    if (window != shared_window && window != local_window) continue;
    (window == shared_window ? shared : local) |= 1u << lane;
    address &= ~window_mask;
  }
  const std::uint32_t elsewhere = mask & ~shared & ~local;
  const auto count = [&](const Target& target, std::uint32_t some) {
    if (some != 0) count_at(target, at.data(), std::uint64_t{0}, bytes, some, traffic);
  };
  count(Target{site, nullptr}, shared);
  count(global_target(tally, site, traffic), elsewhere);
  if (local != 0) count_local(site, at, bytes, local);
}

template <class A>
const A* row(const std::byte* rows, std::uint32_t offset) {
  return reinterpret_cast<const A*>(rows + offset);
}

void count_global(const Target& target, const std::byte* rows, const Inst& inst,
                  std::uint32_t bytes, std::uint32_t mask) {
  if (!inst.indexed) {
    const LaneAddresses<ptx::Space::global, false> lanes_at(rows, inst);
    return count_at(target, row<std::uint64_t>(rows, inst.s[0]), lanes_at.offset(), bytes, mask,
                    inst.traffic);
  }
  const LaneAddresses<ptx::Space::global, true> lanes_at(rows, inst);
  std::uint64_t at[lanes];
  for (int lane = 0; lane < lanes; ++lane) at[lane] = lanes_at[lane];
  count_at(target, at, std::uint64_t{0}, bytes, mask, inst.traffic);
}

}  // namespace

void count_access(Tally& tally, SiteTally& site, const std::byte* rows, const Inst& inst,
                  std::uint32_t mask) {
  const std::uint32_t bytes = inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
  switch (inst.counted) {
    case Counted::global:
      count_global(global_target(tally, site, inst.traffic), rows, inst, bytes, mask);
      if (inst.traffic != Traffic::async_copy) return;
      return count_plain(Target{site, nullptr}, row<std::uint32_t>(rows, inst.s[1]),
                         std::uint32_t{0}, bytes, mask);
    case Counted::shared:
      return count_at(Target{site, nullptr}, row<std::uint32_t>(rows, inst.s[0]),
                      LaneAddresses<ptx::Space::shared, false>(rows, inst).offset(), bytes, mask,
                      inst.traffic);
    case Counted::local:
      return count_local(site, addresses_of(rows, inst, mask), bytes, mask);
    case Counted::constant:
      return count_constant(site, addresses_of(rows, inst, mask), mask);
    case Counted::generic:
      return count_generic(tally, site, inst.traffic, addresses_of(rows, inst, mask), bytes, mask);
    case Counted::nothing:
      return;
  }
}

void count_part(Tally& tally, SiteTally& site, const Inst& inst, const Addresses& addresses,
                const AccessPart& part) {
  const auto requests = [&site](Where where) -> std::uint64_t& {
    return site.at[static_cast<std::size_t>(where)].requests;
  };
  const std::uint64_t shared = requests(Where::shared), global = requests(Where::global);
  if (inst.counted == Counted::generic) {
    count_generic(tally, site, inst.traffic, addresses, part.bytes, part.mask);
  } else {
    const bool is_shared = inst.counted == Counted::shared;
    count_plain(is_shared ? Target{site, nullptr} : global_target(tally, site, inst.traffic),
                addresses.data(), std::uint64_t{0}, part.bytes, part.mask);
  }
  if (!part.continues) return;
  requests(Where::shared) = shared;
  requests(Where::global) = global;
}

}  // namespace ladder::emulator
