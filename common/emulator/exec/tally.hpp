// What a host thread counts while it executes blocks of a launch that is watched for counters: by basic
// block and by memory instruction. What a launch and each of its source lines did is worked out
// from that at its end (observers/counters.cpp), so that counting costs little.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ladder::emulator {

class Function;

struct BlockTally {
  std::uint64_t entries = 0;    // by groups of lanes
  std::uint64_t lanes = 0;      // in them, summed
  std::uint64_t arrivals = 0;   // at the barrier that ends it
  std::uint64_t divergent = 0;  // times its lanes parted at its end
};

// Where memory is touched, as counters tell it apart.
enum class Where : std::uint8_t { global, shared, local, constant };

struct AccessCost {
  std::uint32_t units = 0;  // sectors, wavefronts or, of constant memory, words
  std::uint32_t ideal = 0;
};

// How a warp's addresses lay when an instruction was counted last, and what that cost for each place
// of their base within a sector. As long as they lie alike, it costs the same.
struct Pattern {
  std::uint64_t number = 0;      // of this pattern, unlike any other's; 0: none
  std::uint64_t of_leader = ~0;  // the number of the pattern that the one it follows had
  std::uint32_t mask = 0;        // the lanes
  Where where = Where::global;
  struct Phase {
    std::uint64_t times = 0;  // not yet in SiteTally::at
    AccessCost cost;
    std::uint32_t of_base = ~0u;  // within a sector, or a word of shared memory; ~0: none yet
    // Global memory: runs of sectors, from the base's on; -1: too many.
    static constexpr int most_runs = 4;
    int runs = -1;
    struct Run {
      std::int32_t first;
      std::uint32_t more;  // sectors behind the first
    };
    std::array<Run, most_runs> run;
  };
  std::array<Phase, 8> phases;
  Phase& phase(std::uint32_t of_base) { return phases[of_base / 4]; }
  // From the first lane, by lane: of 64-bit rows, or of 32-bit ones; and of addresses.
  alignas(32) std::array<std::uint64_t, 32> distance;
  alignas(32) std::array<std::uint32_t, 32> short_distance;
};

struct SiteTally {  // of one instruction
  struct Traffic {
    std::uint64_t requests = 0, units = 0, ideal = 0;
  };
  Pattern pattern;
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
  void settle(Pattern::Phase& phase) {
    add(pattern.where, phase.cost, phase.times);
    phase.times = 0;
  }
  void settle() {
    for (Pattern::Phase& phase : pattern.phases) settle(phase);
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
  void mark(std::uint64_t first, std::uint64_t last, SiteTally& site) {
    while ((first >> page_shift) != (last >> page_shift)) {
      const std::uint64_t end = (first >> page_shift << page_shift) + (1u << page_shift) - 1;
      mark_in_page(first, end, site);
      first = end + 1;
    }
    mark_in_page(first, last, site);
  }
  void merge(const SectorSet& other);
  std::uint64_t count() const;

 private:
  using Page = std::array<std::uint64_t, (1u << page_shift) / 64>;

  void mark_in_page(std::uint64_t first, std::uint64_t last, SiteTally& site) {
    if (site.page != first >> page_shift) [[unlikely]] {
      site.page = first >> page_shift;
      site.bits = page(site.page);
    }
    constexpr std::uint64_t mask = (1u << page_shift) - 1, ones = ~std::uint64_t{0};
    std::uint64_t from = (first & mask) / 64;
    const std::uint64_t to = (last & mask) / 64;
    std::uint64_t bits = ones << (first % 64);
    for (; from < to; ++from, bits = ones) site.bits[from] |= bits;
    site.bits[to] |= bits & (ones >> (63 - last % 64));
  }
  std::uint64_t* page(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

struct Tally {
  std::vector<std::unique_ptr<FunctionTally>> functions;  // by Function::index
  SectorSet read, written;                                // of global memory
  std::uint64_t patterns = 0;                             // numbers given so far

  FunctionTally* of(const Function& function);
  void settle();
  void merge(const Tally& other);
};

}  // namespace ladder::emulator
