// Addresses that lie as they did when the instruction was executed last (AccessPattern) lie in as
// many sectors and take as many wavefronts: both are worked out once for a pattern and each place
// of its base within a sector.
#include "common/emulator/observers/access_counts.hpp"

#include <bit>
#include <utility>

namespace ladder::emulator {

namespace {

bool is_atomic(Traffic traffic) {
  return traffic == Traffic::atomic || traffic == Traffic::float_atomic;
}

// ceil(a / b)
std::uint32_t over(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
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

// A thread's 4-byte words of local memory lie 128 bytes apart, those of a warp's lanes side by
// side.
std::uint32_t local_sectors(const Addresses& at, std::uint32_t bytes, std::uint32_t mask) {
  std::uint32_t sectors = 0;
  for (int c = 0; c < lanes; c += 8) {
    const std::uint32_t some = mask & (0xffu << c);
    if (some == 0) continue;
    for_units(Stretches(at, bytes, some), 2, [&](std::uint64_t first, std::uint64_t last) {
      sectors += static_cast<std::uint32_t>(last - first + 1);
    });
  }
  return sectors;
}

std::uint32_t different(const Addresses& at, std::uint32_t mask) {
  std::uint32_t count = 0;
  for (std::uint32_t left = mask; left != 0; ++count) {
    const std::uint64_t address = at[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (at[static_cast<std::size_t>(lane)] == address) left &= ~(1u << lane);
    }
  }
  return count;
}

AccessCost cost_of(const Inst& inst, const AccessPattern& pattern, const Addresses& at,
                   std::uint64_t base, std::uint32_t bytes) {
  const Where where = pattern.where;
  const std::uint32_t mask = pattern.mask;
  if (where == Where::shared && bytes <= 4 && !is_atomic(inst.traffic)) {
    // Within a row of all banks no two words meet in one.
    const std::uint64_t low = base + pattern.low, high = low + pattern.extent - 1;
    if (low / 128 == high / 128) return {1, 1};
  }
  if (where == Where::local) return {local_sectors(at, bytes, mask), 0};
  if (where == Where::constant) return {different(at, mask), 1};
  const Stretches stretches(at, bytes, mask);
  if (where == Where::shared) {
    return {wavefronts_of(inst, at, bytes, mask), over(stretches.bytes(), 128)};
  }
  const std::uint32_t sectors =
      is_atomic(inst.traffic) ? atomic_sectors(at, bytes, mask) : sectors_of(stretches);
  return {sectors, over(stretches.bytes(), 32)};
}

Addresses addresses_of(const AccessPattern& pattern, std::uint64_t base) {
  Addresses at{};
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    at[lane] = base + pattern.distance[lane];
  }
  return at;
}

void find_sectors(PhaseCost& phase, const Stretches& stretches, std::uint64_t base) {
  phase.sectors = 0;
  std::uint64_t begin = 0;
  bool near = true;
  for_units(stretches, sector_shift, [&](std::uint64_t first, std::uint64_t last) {
    if (phase.sectors == 0) begin = first;
    near = near && last - begin < 64;
    if (near) phase.sectors |= (~std::uint64_t{0} >> (63 - (last - first))) << (first - begin);
  });
  const auto from_base = static_cast<std::int64_t>(begin - (base >> sector_shift));
  phase.first = static_cast<std::int32_t>(from_base);
  if (!near || from_base != phase.first) phase.sectors = 0;
}

// Whether bases at two places within a sector lead to the same sectors, told from the base's.
bool same_sectors(const AccessPattern& pattern, std::uint32_t one, std::uint32_t other,
                  std::uint32_t bytes) {
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const std::uint64_t at = pattern.distance[static_cast<std::size_t>(std::countr_zero(left))];
    for (const std::uint64_t end : {at, at + bytes - 1}) {
      const auto a = static_cast<std::int64_t>(end + one) >> sector_shift;
      const auto b = static_cast<std::int64_t>(end + other) >> sector_shift;
      if (a != b) return false;
    }
  }
  return true;
}

int first_alike(const SiteTally& site, const PhaseCost& phase, std::uint32_t bytes) {
  int number = 0;
  for (const PhaseCost& other : site.phases) {
    if (&other == &phase || (other.of_base != ~0u && other.sectors == 0 &&
                             same_sectors(site.pattern, other.of_base, phase.of_base, bytes))) {
      break;
    }
    ++number;
  }
  return number;
}

}  // namespace

void find_cost(SiteTally& site, PhaseCost& phase, const Inst& inst, std::uint64_t base,
               std::uint32_t bytes) {
  site.settle(phase);
  const AccessPattern& pattern = site.pattern;
  const Addresses at = addresses_of(pattern, base);
  phase.of_base = phase_of(base, pattern.where);
  phase.cost = cost_of(inst, pattern, at, base, bytes);
  if (pattern.where != Where::global) return;
  find_sectors(phase, Stretches(at, bytes, pattern.mask), base);
  if (phase.sectors == 0) phase.alike = first_alike(site, phase, bytes);
}

void mark_scattered(Tally& tally, SiteTally& site, const PhaseCost& phase, std::uint64_t base,
                    std::uint32_t bytes, bool written) {
  const AccessPattern& pattern = site.pattern;
  const bool follows = pattern.of_leader != AccessPattern::unknown;
  const std::uint64_t number = follows ? pattern.of_leader : pattern.number;
  const std::uint64_t sector = base >> sector_shift;
  const Tally::Marked now{
      number << 4 | static_cast<unsigned>(phase.alike) << 1 | (written ? 1u : 0u), sector};
  Tally::Marked& recent =
      tally.marked[(sector ^ sector >> 8 ^ now.pattern * 37) % tally.marked.size()];
  // Bytes and halfwords can lie in other sectors though the phase is the same.
  if (bytes >= 4 && recent == now) return;
  recent = now;
  SectorSet& set = written ? tally.written : tally.read;
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const std::uint64_t at =
        base + pattern.distance[static_cast<std::size_t>(std::countr_zero(left))];
    set.mark(at >> sector_shift, (at + bytes - 1) >> sector_shift, site);
  }
}

void count_waiting(SiteTally& site, Tally& tally) {
  const std::uint32_t waiting = std::exchange(site.waiting, 0);
  if (waiting == 0) return;
  const Inst& inst = *site.waiting_inst;
  SectorSet& set = is_written(inst) ? tally.written : tally.read;
  // Mostly they wander: the next one begins in the same sector, or lies in the same phase.
  const PhaseCost* marked = nullptr;
  std::uint64_t marked_sector = 0;
  for (std::uint32_t i = 0; i < waiting; ++i) {
    const std::uint64_t base = site.waiting_bases[i], sector = base >> sector_shift;
    const std::uint32_t of_base = phase_of(base, Where::global);
    PhaseCost& phase = site.phases[of_base / 4];
    if (phase.of_base != of_base) find_cost(site, phase, inst, base, bytes_of(inst));
    ++phase.times;
    if (marked == &phase && marked_sector == sector) continue;
    marked = &phase;
    marked_sector = sector;
    mark_sectors(tally, set, site, phase, inst, base);
  }
}

void settle(Tally& tally) {
  for (const auto& function : tally.functions) {
    if (!function) continue;
    for (SiteTally& site : function->sites) {
      count_waiting(site, tally);
      site.settle();
    }
  }
}

void count_copy(SiteTally& site, const Inst& inst, const Addresses& from, const Addresses& to,
                std::uint32_t mask) {
  const std::uint32_t bytes = inst.bytes;
  site.add(Where::shared,
           {copy_wavefronts(from, to, bytes, mask), over(Stretches(to, bytes, mask).bytes(), 128)},
           1);
}

}  // namespace ladder::emulator
