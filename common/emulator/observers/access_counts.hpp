// Counts the memory accesses of a warp.
#pragma once

#include "common/emulator/exec/footprint.hpp"
#include "common/emulator/exec/tally.hpp"
#include "common/emulator/exec/warp.hpp"

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

// An access that lies in the site's pattern, from `base` on; `bytes` of one lane, `where` as there. `inst` is a memory
// instruction with its watched fields set (Inst::traffic, Inst::counted).
[[gnu::always_inline]] inline void count_access(SiteTally& site, Warp& warp, const Inst& inst,
                                                std::uint64_t base, std::uint32_t bytes,
                                                Where where) {
  const std::uint32_t of_base = phase_of(base, where);
  PhaseCost& phase = site.phases[of_base / 4];
  if (phase.of_base != of_base) [[unlikely]]
    find_cost(site, phase, inst, base, bytes);
  ++phase.times;
  if (where != Where::global) return;
  const bool written = inst.traffic != Traffic::load && inst.traffic != Traffic::async_copy;
  Tally& tally = warp.worker.tally;
  if (phase.sectors == 0) [[unlikely]] {
    return mark_scattered(tally, site, phase, base, bytes, written);
  }
  SectorSet& set = written ? tally.written : tally.read;
  const std::uint64_t first = static_cast<std::uint64_t>(std::int64_t{phase.first});
  set.mark_bits((base >> sector_shift) + first, phase.sectors, site);
}

// cp.async's way into shared memory; what it reads is counted as an access.
void count_copy(SiteTally& site, const Inst& inst, const Addresses& from, const Addresses& to,
                std::uint32_t mask);

}  // namespace ladder::emulator
