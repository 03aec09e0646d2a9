#include "common/emulator/observers/racecheck_launch.hpp"

#include <algorithm>

#include "common/emulator/observers/racecheck_order.hpp"

namespace ladder::emulator {

void LaunchRaces::start(const LaunchState& launch) {
  launch_ = &launch;
  end();
  first_site_.clear();
  SiteNumber next = 0;
  for (const Function* function : *launch.functions) {
    first_site_.push_back(next);
    if (function != nullptr) next += static_cast<SiteNumber>(function->source->body.size());
  }
}

void LaunchRaces::end() {
  drop_pages();
  owners_.assign(1, 0);
  sets.clear();
  objects.clear();
  running = nullptr;
}

void LaunchRaces::drop_pages() {
  pages_.clear();
  recent_.fill({});
}

void LaunchRaces::forget() {
  drop_pages();
  owners_.assign(1, 0);
  sets.clear();
  objects.clear();
  for (BlockOrder* block : blocks_) block->forget();
  running = nullptr;
}

Cells* LaunchRaces::find_page(std::uint64_t address) {
  const auto [entry, is_new] = pages_.try_emplace(address / page_bytes);
  if (is_new && launch_->memory->is_shared_by_blocks(address)) {
    entry->second = std::make_unique<Cells>(page_bytes);
  }
  return entry->second.get();
}

LaunchRaces::Place LaunchRaces::place_of(SiteNumber site) const {
  site &= ~strong_site;
  const auto after = std::upper_bound(first_site_.begin(), first_site_.end(), site);
  const auto index = static_cast<std::size_t>(after - first_site_.begin() - 1);
  const Function* function = (*launch_->functions)[index];
  return {function, &function->source->body[site - first_site_[index]]};
}

}  // namespace ladder::emulator
