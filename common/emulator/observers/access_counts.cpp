// The addresses of an instruction mostly lie as they did when it was executed last, from another base:
// then so do its sectors and wavefronts, and nothing but that is tested (Pattern). An instruction
// whose addresses differ from those of one before it by the same amount in every lane need not
// even test it.
#include "common/emulator/observers/access_counts.hpp"

#include <bit>

#include "common/emulator/exec/lane_addresses.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

bool is_atomic(Traffic traffic) {
  return traffic == Traffic::atomic || traffic == Traffic::float_atomic;
}

bool writes(Traffic traffic) {
  return traffic == Traffic::store || is_atomic(traffic);
}

// Of an address, within a sector or a word of shared memory.
std::uint32_t phase_of(std::uint64_t address, Where where) {
  return static_cast<std::uint32_t>(address % (where == Where::shared ? 4 : 32));
}

// ceil(a / b)
std::uint32_t over(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

std::uint32_t bytes_of(const Inst& inst) {
  return inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
}

// Compare and swap reads shared memory in one pass and writes it in another.
bool is_compare_and_swap(const Inst& inst) {
  return is_atomic(inst.traffic) && inst.s[2] != no_row;
}

std::uint32_t wavefronts_of(const Inst& inst, const Addresses& at, std::uint32_t bytes,
                            std::uint32_t mask) {
  switch (inst.traffic) {
    case Traffic::load:
      return load_wavefronts(at, bytes, mask);
    case Traffic::store:
    case Traffic::async_copy:
      return store_wavefronts(at, bytes, mask);
    default:
      return atomic_wavefronts(at, bytes, mask) * (is_compare_and_swap(inst) ? 2 : 1);
  }
}

AccessCost cost_of(const Inst& inst, Where where, const Addresses& at, std::uint32_t bytes,
                   std::uint32_t mask) {
  const Stretches stretches(at, bytes, mask);
  if (where == Where::shared) {
    return {wavefronts_of(inst, at, bytes, mask), over(stretches.bytes(), 128)};
  }
  const std::uint32_t sectors =
      is_atomic(inst.traffic) ? atomic_sectors(at, bytes, mask) : sectors_of(stretches);
  return {sectors, over(stretches.bytes(), 32)};
}

void mark(SectorSet& set, SiteTally& site, const Pattern::Phase& phase, std::uint64_t base,
          std::uint32_t bytes) {
  const std::uint64_t sector = base >> sector_shift;
  if (phase.runs >= 0) {
    for (int r = 0; r < phase.runs; ++r) {
      const Pattern::Phase::Run& run = phase.run[static_cast<std::size_t>(r)];
      const std::uint64_t first = sector + static_cast<std::uint64_t>(std::int64_t{run.first});
      set.mark(first, first + run.more, site);
    }
    return;
  }
  for (std::uint32_t left = site.pattern.mask; left != 0; left &= left - 1) {
    const std::uint64_t at =
        base + site.pattern.distance[static_cast<std::size_t>(std::countr_zero(left))];
    set.mark(at >> sector_shift, (at + bytes - 1) >> sector_shift, site);
  }
}

void find_runs(Pattern::Phase& phase, const Stretches& stretches, std::uint64_t base) {
  phase.runs = 0;
  const std::uint64_t sector = base >> sector_shift;
  for_units(stretches, sector_shift, [&](std::uint64_t first, std::uint64_t last) {
    if (phase.runs < 0) return;
    const auto from = static_cast<std::int64_t>(first - sector);
    if (phase.runs == Pattern::Phase::most_runs || from != static_cast<std::int32_t>(from)) {
      phase.runs = -1;
      return;
    }
    phase.run[static_cast<std::size_t>(phase.runs++)] = {static_cast<std::int32_t>(from),
                                                         static_cast<std::uint32_t>(last - first)};
  });
}

template <class R>
auto& distances_of(auto& pattern) {
  if constexpr (sizeof(R) == 8)
    return pattern.distance;
  else
    return pattern.short_distance;
}

// Whether the lanes' rows differ as they did: then so do the addresses made of them.
template <class R>
bool lies_alike(const Pattern& pattern, const R* row, std::uint32_t mask) {
  if (pattern.number == 0 || pattern.mask != mask) return false;
  const std::array<R, lanes>& distances = distances_of<R>(pattern);
  const R first = row[std::countr_zero(mask)];
  if (mask == all_lanes) {
    R wrong = 0;
#pragma GCC ivdep
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      wrong |= static_cast<R>(row[lane] - first) ^ distances[lane];
    }
    return wrong == 0;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (static_cast<R>(row[lane] - first) != distances[lane]) return false;
  }
  return true;
}

// One access whose lanes all point to shared memory, or all to global. `row` is what addresses are
// made of, lanes_at[lane] an address.
template <class R, class Lanes>
struct Counting {
  SiteTally& site;
  Warp& warp;
  const Inst& inst;
  const R* row;
  const Lanes& lanes_at;
  std::uint32_t mask, bytes;
  Where where;

  void run() const {
    Pattern& pattern = site.pattern;
    const std::uint64_t base = lanes_at[std::countr_zero(mask)];
    const std::uint32_t of_base = phase_of(base, where);
    if (pattern.where != where || !lies_alike(pattern, row, mask)) learn(base);
    Pattern::Phase& phase = pattern.phase(of_base);
    if (phase.of_base != of_base) cost(phase, base);
    ++phase.times;
    if (where != Where::global) return;
    Tally& tally = warp.worker.tally;
    mark(writes(inst.traffic) ? tally.written : tally.read, site, phase, base, bytes);
  }

 private:
  [[gnu::noinline]] void learn(std::uint64_t base) const {
    site.settle();
    Pattern& pattern = site.pattern;
    const R first = row[std::countr_zero(mask)];
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      pattern.distance[lane] = lanes_at[static_cast<int>(lane)] - base;
      distances_of<R>(pattern)[lane] = static_cast<R>(row[lane] - first);
    }
    for (Pattern::Phase& phase : pattern.phases) phase.of_base = ~0u;
    pattern.number = ++warp.worker.tally.patterns;
    pattern.of_leader = ~std::uint64_t{0};
    pattern.mask = mask;
    pattern.where = where;
  }
  [[gnu::noinline]] void cost(Pattern::Phase& phase, std::uint64_t base) const {
    site.settle(phase);
    Addresses whole{};
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      whole[lane] = lanes_at[static_cast<int>(lane)];
    }
    phase.of_base = phase_of(base, where);
    phase.cost = cost_of(inst, where, whole, bytes, mask);
    if (where == Where::global) find_runs(phase, Stretches(whole, bytes, mask), base);
  }
};

template <class R, class Lanes>
void count_pattern(SiteTally& site, Warp& warp, const Inst& inst, const R* row,
                   const Lanes& lanes_at, std::uint32_t mask, std::uint32_t bytes, Where where) {
  Counting<R, Lanes>{site, warp, inst, row, lanes_at, mask, bytes, where}.run();
}

// Addresses that have been worked out.
struct Given {
  const Addresses& at;
  std::uint64_t operator[](int lane) const { return at[static_cast<std::size_t>(lane)]; }
};

// A thread's 4-byte words of local memory lie 128 bytes apart, those of a warp's lanes side by side.
void count_local(SiteTally& site, const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  std::uint32_t sectors = 0;
  for (int c = 0; c < lanes; c += 8) {
    const std::uint32_t some = mask & (0xffu << c);
    if (some == 0) continue;
    for_units(Stretches(at, bytes, some), 2, [&](std::uint64_t first, std::uint64_t last) {
      sectors += static_cast<std::uint32_t>(last - first + 1);
    });
  }
  site.add(Where::local, {sectors, 0}, 1);
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
  site.add(Where::constant, {different, 1}, 1);
}

Addresses addresses_of(const std::byte* rows, const Inst& inst, std::uint32_t mask) {
  Addresses at{};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    at[static_cast<std::size_t>(lane)] = lane_address(rows, inst, lane);
  }
  return at;
}

// Lanes may point anywhere.
void count_generic(SiteTally& site, Warp& warp, const Inst& inst, Addresses at, std::uint32_t bytes,
                   std::uint32_t mask) {
  std::uint32_t shared = 0, local = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t& address = at[static_cast<std::size_t>(lane)];
    const std::uint64_t window = address & window_mask;
    if (window != shared_window && window != local_window) continue;
    (window == shared_window ? shared : local) |= 1u << lane;
    address &= ~window_mask;
  }
  const auto count = [&](Where where, std::uint32_t some) {
    if (some != 0) count_pattern(site, warp, inst, at.data(), Given{at}, some, bytes, where);
  };
  count(Where::shared, shared);
  count(Where::global, mask & ~shared & ~local);
  if (local != 0) count_local(site, at, bytes, local);
}

template <Space S, bool Indexed>
void count_in(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
              std::uint32_t mask) {
  using Row = std::conditional_t<Indexed, std::uint32_t, Address<S>>;
  const LaneAddresses<S, Indexed> lanes_at(rows, inst);
  count_pattern(site, warp, inst, reinterpret_cast<const Row*>(rows + inst.s[0]), lanes_at, mask,
                bytes_of(inst), S == Space::shared ? Where::shared : Where::global);
}

void count_global(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
                  std::uint32_t mask) {
  inst.indexed ? count_in<Space::global, true>(site, warp, rows, inst, mask)
               : count_in<Space::global, false>(site, warp, rows, inst, mask);
}

// cp.async: what it reads as a load of global memory; and its way into shared memory.
void count_copy(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
                std::uint32_t mask) {
  count_global(site, warp, rows, inst, mask);
  const Addresses from = addresses_of(rows, inst, mask);
  Addresses to{};
  std::copy_n(reinterpret_cast<const std::uint32_t*>(rows + inst.s[1]), lanes, to.begin());
  const std::uint32_t bytes = bytes_of(inst);
  site.add(Where::shared,
           {copy_wavefronts(from, to, bytes, mask), over(Stretches(to, bytes, mask).bytes(), 128)},
           1);
}

std::uint64_t& pattern_of_leader(const Inst& inst, const Warp& warp) {
  return warp.worker.patterns[inst.shape / sizeof(AddressShape)];
}

// Counts an instruction that follows another whose addresses are known to lie as they did when this
// one was counted. False: it must be looked at.
bool count_follower(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst) {
  Pattern& pattern = site.pattern;
  if (pattern.of_leader != pattern_of_leader(inst, warp)) return false;
  if (inst.counted == Counted::shared) {
    if (inst.bytes < 4) return false;
    ++pattern.phases[0].times;
    return true;
  }
  if (inst.counted != Counted::global) return false;
  const std::uint64_t base = lane_address(rows, inst, 0);
  const std::uint32_t of_base = phase_of(base, Where::global);
  Pattern::Phase& phase = pattern.phase(of_base);
  if (phase.of_base != of_base) return false;
  ++phase.times;
  Tally& tally = warp.worker.tally;
  mark(writes(inst.traffic) ? tally.written : tally.read, site, phase, base, bytes_of(inst));
  return true;
}

void count(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
           std::uint32_t mask) {
  if (is_atomic(inst.traffic) && inst.one_address) mask &= ~mask + 1;
  switch (inst.counted) {
    case Counted::global:
      if (inst.traffic == Traffic::async_copy) return count_copy(site, warp, rows, inst, mask);
      return count_global(site, warp, rows, inst, mask);
    case Counted::shared:
      return count_in<Space::shared, false>(site, warp, rows, inst, mask);
    case Counted::local:
      return count_local(site, addresses_of(rows, inst, mask), bytes_of(inst), mask);
    case Counted::constant:
      return count_constant(site, addresses_of(rows, inst, mask), mask);
    case Counted::generic:
      return count_generic(site, warp, inst, addresses_of(rows, inst, mask), bytes_of(inst), mask);
    case Counted::nothing:
      return;
  }
}

}  // namespace

void count_access(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
                  std::uint32_t mask) {
  Pattern& pattern = site.pattern;
  const bool follows = inst.sharing == Sharing::follows && mask == all_lanes;
  if (follows && count_follower(site, warp, rows, inst)) return;
  count(site, warp, rows, inst, mask);
  if (inst.sharing == Sharing::leads) {
    pattern_of_leader(inst, warp) = pattern.mask == all_lanes ? pattern.number : 0;
  } else if (follows && pattern_of_leader(inst, warp) != 0) {
    pattern.of_leader = pattern_of_leader(inst, warp);
  }
}

void count_part(SiteTally& site, Warp& warp, const Inst& inst, const Addresses& addresses,
                const AccessPart& part) {
  if (inst.counted == Counted::generic) {
    count_generic(site, warp, inst, addresses, part.bytes, part.mask);
  } else {
    const bool is_shared = inst.counted == Counted::shared;
    count_pattern(site, warp, inst, addresses.data(), Given{addresses}, part.mask, part.bytes,
                  is_shared ? Where::shared : Where::global);
  }
  if (!part.continues) return;
  site.settle();  // its sectors and wavefronts, but no request of its own
  --site.at[static_cast<std::size_t>(site.pattern.where)].requests;
}

}  // namespace ladder::emulator
