// What a host thread keeps while it executes blocks of a launch that is watched: by basic block and
// by memory instruction. What a launch and each of its source lines did is worked out from that at
// its end (observers/counters.cpp), so that counting costs little.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/emulator/exec/access_pattern.hpp"

namespace ladder::emulator {

class Function;

struct BlockTally {
  std::uint64_t entries = 0;    // by groups of lanes
  std::uint64_t lanes = 0;      // in them, summed
  std::uint64_t arrivals = 0;   // at the barrier that ends it
  std::uint64_t divergent = 0;  // times its lanes parted at its end
};

struct AccessCost {
  std::uint32_t units = 0;  // sectors, wavefronts or, of constant memory, words
  std::uint32_t ideal = 0;
};

// What an instruction costs whose addresses lie in its pattern, for each place of their base within
// a sector (or a word of shared or local memory).
struct PhaseCost {
  std::uint64_t times = 0;    // not yet in SiteTally::at
  std::uint64_t sectors = 0;  // of global memory, a bit for each from `first` on; 0: too far apart
  std::int32_t first = 0;     // told from the base's sector
  std::uint32_t of_base = ~0u;  // within the sector or the word; ~0: none yet
  AccessCost cost;
  int alike = 0;  // the first phase that has the same sectors, if they are far apart
};

// Addresses of global memory, and which observers of a block (by their place among those that want
// accesses) an instruction's accesses there matter to.
struct Interest {
  std::uint64_t begin = 0, bytes = 0;
  std::uint32_t observers = 0;
  bool holds(std::uint64_t low, std::uint64_t extent) const {
    return extent <= bytes && low - begin <= bytes - extent;
  }
};

struct SiteTally {  // of one instruction
  struct Traffic {
    std::uint64_t requests = 0, units = 0, ideal = 0;
  };
  AccessPattern pattern;
  // Bases of accesses to global memory that lay in the pattern and wait to be counted (count_waiting).
  static constexpr std::uint32_t most_waiting = 32;
  std::uint32_t waiting = 0;
  const Inst* waiting_inst = nullptr;
  std::array<std::uint64_t, most_waiting> waiting_bases;
  std::array<PhaseCost, 8> phases;
  Interest interest;
  // The page that it marked last (SectorSet), read or written.
  std::uint64_t page = ~std::uint64_t{0};
  std::uint64_t* bits = nullptr;
  std::array<Traffic, 4> at;  // by Where
  // Of an instruction behind a guard that counts for something: by lanes that were let through.
  std::uint64_t executions = 0, lanes = 0;

  void add(Where where, AccessCost cost, std::uint64_t times) {
    Traffic& to = at[static_cast<std::size_t>(where)];
    to.requests += times;
    to.units += times * cost.units;
    to.ideal += times * cost.ideal;
  }
  // Moves what is not yet there to `at`.
  void settle(PhaseCost& phase) {
    add(pattern.where, phase.cost, phase.times);
    phase.times = 0;
  }
  void settle() {
    for (PhaseCost& phase : phases) {
      if (phase.times != 0) settle(phase);
    }
  }
  // Before it gets another pattern; none wait.
  void forget_costs() {
    settle();
    for (PhaseCost& phase : phases) phase.of_base = ~0u;
  }
};

struct FunctionTally {
  std::vector<BlockTally> blocks;  // as Function::observed_blocks
  std::vector<SiteTally> sites;    // by Inst::cache
};

// Distinct 32-byte sectors of global memory.
class SectorSet {
 public:
  static constexpr int page_shift = 15;  // sectors of a page: 1 MB of memory
  static constexpr std::uint64_t page_mask = (1u << page_shift) - 1;
  void mark(std::uint64_t first, std::uint64_t last, SiteTally& site) {
    for (; first + 63 < last; first += 64) mark_bits(first, ~std::uint64_t{0}, site);
    mark_bits(first, ~std::uint64_t{0} >> (63 - (last - first)), site);
  }
  // A bit for each sector from `first` on.
  void mark_bits(std::uint64_t first, std::uint64_t sectors, SiteTally& site) {
    const std::uint64_t place = first & page_mask, shift = place % 64;
    if (site.page != first >> page_shift) [[unlikely]] {
      site.page = first >> page_shift;
      site.bits = page(site.page);
    }
    std::uint64_t* const at = site.bits + place / 64;
    *at |= sectors << shift;
    const std::uint64_t rest = sectors >> 1 >> (63 - shift);
    if (rest == 0) return;
    if (place / 64 + 1 < (page_mask + 1) / 64) {
      at[1] |= rest;
    } else {
      mark_next_page(first - shift + 64, rest, site);
    }
  }
  void merge(const SectorSet& other);
  std::uint64_t count() const;

 private:
  using Page = std::array<std::uint64_t, (1u << page_shift) / 64>;

  std::uint64_t* page(std::uint64_t number);
  void mark_next_page(std::uint64_t first, std::uint64_t sectors, SiteTally& site);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  // Those asked for last: large strides come back to the same few.
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint64_t* bits = nullptr;
  };
  std::array<Recent, 32> recent_;
};

struct Tally {
  std::vector<std::unique_ptr<FunctionTally>> functions;  // by Function::index
  SectorSet read, written;                                // of global memory
  std::uint64_t patterns = 0;                             // numbers given so far
  // Scattered sectors that were marked lately: the same ones are often touched again.
  struct Marked {
    std::uint64_t pattern = 0, sector = 0;
    bool operator==(const Marked&) const = default;
  };
  std::array<Marked, 256> marked;

  FunctionTally* of(const Function& function);
  void merge(const Tally& other);
  void forget_interests();  // observers are asked again
};

}  // namespace ladder::emulator
