#include "common/emulator/exec/tally.hpp"

#include <bit>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

std::uint64_t* SectorSet::page(std::uint64_t number) {
  Recent& recent = recent_[number % recent_.size()];
  if (recent.number == number) return recent.bits;
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  recent = {number, page->data()};
  return recent.bits;
}

void SectorSet::mark_next_page(std::uint64_t first, std::uint64_t sectors, SiteTally& site) {
  mark_bits(first, sectors, site);
}

void SectorSet::merge(const SectorSet& other) {
  for (const auto& [number, more] : other.pages_) {
    std::uint64_t* bits = page(number);
    for (std::size_t i = 0; i < more->size(); ++i) bits[i] |= (*more)[i];
  }
}

std::uint64_t SectorSet::count() const {
  std::uint64_t sum = 0;
  for (const auto& [number, page] : pages_) {
    for (const std::uint64_t bits : *page) sum += static_cast<std::uint64_t>(std::popcount(bits));
  }
  return sum;
}

FunctionTally* Tally::of(const Function& function) {
  const auto at = static_cast<std::size_t>(function.index);
  if (functions.size() <= at) functions.resize(at + 1);
  if (!functions[at]) {
    functions[at] = std::make_unique<FunctionTally>();
    functions[at]->blocks.resize(function.observed_blocks.size());
    functions[at]->sites.resize(function.caches);
  }
  return functions[at].get();
}

void Tally::forget_interests() {
  for (const auto& function : functions) {
    if (!function) continue;
    for (SiteTally& site : function->sites) site.interest = {};
  }
}

void Tally::merge(const Tally& other) {
  if (functions.size() < other.functions.size()) functions.resize(other.functions.size());
  for (std::size_t f = 0; f < other.functions.size(); ++f) {
    const FunctionTally* from = other.functions[f].get();
    if (from == nullptr) continue;
    if (!functions[f]) {
      functions[f] = std::make_unique<FunctionTally>();
      functions[f]->blocks.resize(from->blocks.size());
      functions[f]->sites.resize(from->sites.size());
    }
    FunctionTally& to = *functions[f];
    for (std::size_t b = 0; b < from->blocks.size(); ++b) {
      to.blocks[b].entries += from->blocks[b].entries;
      to.blocks[b].lanes += from->blocks[b].lanes;
      to.blocks[b].arrivals += from->blocks[b].arrivals;
      to.blocks[b].divergent += from->blocks[b].divergent;
    }
    for (std::size_t s = 0; s < from->sites.size(); ++s) {
      to.sites[s].executions += from->sites[s].executions;
      to.sites[s].lanes += from->sites[s].lanes;
      for (std::size_t w = 0; w < from->sites[s].at.size(); ++w) {
        to.sites[s].at[w].requests += from->sites[s].at[w].requests;
        to.sites[s].at[w].units += from->sites[s].at[w].units;
        to.sites[s].at[w].ideal += from->sites[s].at[w].ideal;
      }
    }
  }
  read.merge(other.read);
  written.merge(other.written);
}

}  // namespace ladder::emulator
