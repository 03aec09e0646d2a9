#include "common/emulator/observers/racecheck_launch.hpp"

#include <algorithm>
#include <cstring>

#include "common/emulator/observers/racecheck_order.hpp"

namespace ladder::emulator {

void LaunchRaces::start(const LaunchState& launch) {
  launch_ = &launch;
  began_ = upcoming_epoch();
  first_site_.clear();
  swap_follows_.clear();
  find_written(launch.function->written);
  SiteNumber next = 0;
  for (const Function* function : *launch.functions) {
    first_site_.push_back(next);
    if (function != nullptr) next += static_cast<SiteNumber>(function->source->body.size());
  }
}

void LaunchRaces::find_written(const WrittenParameters& parameters) {
  written_.clear();
  anything_written_ = parameters.anything;
  for (const std::uint64_t offset : parameters.offsets) {
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, launch_->parameter_bytes + offset, sizeof pointer);
    Range range;
    if (launch_->memory->find_range(pointer, range))
      written_.push_back(range);
    else if (pointer != 0)
      writes_anything();  // it points beside its array, as those from 1 do
  }
}

bool LaunchRaces::may_write(std::uint64_t address, std::uint64_t bytes) const {
  return anything_written_ ||
         std::any_of(written_.begin(), written_.end(),
                     [&](const Range& range) { return range.holds(address, bytes); });
}

void LaunchRaces::end() {
  objects.clear();
  running = nullptr;
  for (const std::uint64_t number : unchecked_pages_) pages_.erase(number);
  unchecked_pages_.clear();
  recent_.fill({});
  if (pages_.size() > most_kept_pages) drop_pages();
}

void LaunchRaces::freed(std::uint64_t address, std::size_t bytes) {
  for (std::uint64_t number = address / page_bytes; number * page_bytes < address + bytes; ++number)
    pages_.erase(number);
  recent_.fill({});
}

void LaunchRaces::drop_pages() {
  pages_.clear();
  recent_.fill({});
}

void LaunchRaces::forget() {
  drop_pages();
  owners_.assign(1, 0);
  began_ = 1;
  sets.clear();
  objects.clear();
  for (BlockOrder* block : blocks_) block->forget();
  running = nullptr;
}

Cells* LaunchRaces::find_page(std::uint64_t address) {
  const auto [entry, is_new] = pages_.try_emplace(address / page_bytes);
  if (is_new && launch_->memory->is_shared_by_blocks(address)) {
    entry->second = std::make_unique<Cells>(page_bytes);
  } else if (is_new) {
    unchecked_pages_.push_back(address / page_bytes);
  }
  return entry->second.get();
}

bool LaunchRaces::swap_follows(const Place& load) {
  const auto [entry, is_new] = swap_follows_.try_emplace(load.instruction, false);
  if (!is_new || !load.instruction->opcode.starts_with("ld.")) return entry->second;
  const auto same_place = [](const ptx::Operand& a, const ptx::Operand& b) {
    return a.kind == ptx::Operand::Kind::address && b.kind == a.kind && a.offset == b.offset &&
           !a.elements.empty() && !b.elements.empty() && a.elements[0].kind == b.elements[0].kind &&
           a.elements[0].index == b.elements[0].index && a.elements[0].name == b.elements[0].name;
  };
  for (const ptx::Instruction& other : load.function->source->body) {
    if (other.opcode.starts_with("atom") && other.opcode.find(".cas") != std::string::npos &&
        other.operands.size() > 1 && load.instruction->operands.size() > 1 &&
        same_place(other.operands[1], load.instruction->operands[1]))
      entry->second = true;
  }
  return entry->second;
}

LaunchRaces::Place LaunchRaces::place_of(SiteNumber site) const {
  site &= ~strong_site;
  const auto after = std::upper_bound(first_site_.begin(), first_site_.end(), site);
  const auto index = static_cast<std::size_t>(after - first_site_.begin() - 1);
  const Function* function = (*launch_->functions)[index];
  return {function, &function->source->body[site - first_site_[index]]};
}

}  // namespace ladder::emulator
