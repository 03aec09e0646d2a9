// Counts the memory accesses of a warp.
#pragma once

#include <algorithm>

#include "common/emulator/exec/footprint.hpp"
#include "common/emulator/exec/tally.hpp"

namespace ladder::emulator {

// Of an address, within a sector or a word of shared or local memory.
inline std::uint32_t phase_of(std::uint64_t address, Where where) {
  return static_cast<std::uint32_t>(address % (where == Where::global ? 32 : 4));
}

// Works out what the site's pattern costs from `base` on.
[[gnu::noinline]] void find_cost(SiteTally& site, PhaseCost& phase, const Inst& inst,
                                 std::uint64_t base, std::uint32_t bytes);
// Marks the sectors of a pattern where they are far apart.
[[gnu::noinline]] void mark_scattered(Tally& tally, SiteTally& site, const PhaseCost& phase,
                                      std::uint64_t base, std::uint32_t bytes, bool written);

inline std::uint32_t bytes_of(const Inst& inst) {  // of one lane
  return inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
}

inline bool is_written(const Inst& inst) {
  return inst.traffic != Traffic::load && inst.traffic != Traffic::async_copy;
}

// Of an access to global memory that costs `phase`. `set`: one of the tally's, as is_written says.
[[gnu::always_inline]] inline void mark_sectors(Tally& tally, SectorSet& set, SiteTally& site,
                                                const PhaseCost& phase, const Inst& inst,
                                                std::uint64_t base) {
  if (phase.sectors == 0) [[unlikely]] {
    return mark_scattered(tally, site, phase, base, bytes_of(inst), is_written(inst));
  }
  const std::uint64_t first = static_cast<std::uint64_t>(std::int64_t{phase.first});
  set.mark_bits((base >> sector_shift) + first, phase.sectors, site);
}

// An access that lies in the site's pattern, from `base` on; `bytes` of one lane, `where` as there.
// `inst` is a memory instruction with its watched fields set (Inst::traffic, Inst::counted).
[[gnu::always_inline]] inline void count_access(SiteTally& site, Tally& tally, const Inst& inst,
                                                std::uint64_t base, std::uint32_t bytes,
                                                Where where) {
  const std::uint32_t of_base = phase_of(base, where);
  PhaseCost& phase = site.phases[of_base / 4];
  if (phase.of_base != of_base) [[unlikely]]
    find_cost(site, phase, inst, base, bytes);
  ++phase.times;
  if (where != Where::global) return;
  mark_sectors(tally, is_written(inst) ? tally.written : tally.read, site, phase, inst, base);
}

// Counts those in SiteTally::waiting_bases.
[[gnu::noinline]] void count_waiting(SiteTally& site, Tally& tally);
// All that wait, and what else is not yet where it belongs.
void settle(Tally& tally);

// cp.async's way into shared memory; what it reads is counted as an access.
void count_copy(SiteTally& site, const Inst& inst, const Addresses& from, const Addresses& to,
                std::uint32_t mask);

}  // namespace ladder::emulator
