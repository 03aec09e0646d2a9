#include "common/emulator/observers/racecheck_shadow.hpp"

#include <new>
#include <utility>

namespace ladder::emulator {

Cells::Cells(std::size_t bytes)
    : bytes_(bytes), sector_count_((bytes + sector_bytes - 1) / sector_bytes) {
  constexpr std::size_t sectors_at_once = 4;  // vectors of them may begin at the last
  sectors_storage_ = make(sector_count_ + sectors_at_once, sectors);
}

Cells::Storage Cells::make(std::size_t count, Shadows& shadows) {
  Storage storage(static_cast<std::uint32_t*>(std::calloc(count * 4, sizeof(std::uint32_t))),
                  &std::free);
  if (storage == nullptr) throw std::bad_alloc();
  shadows.write = storage.get();
  shadows.read = shadows.write + count;
  shadows.write_site = shadows.read + count;
  shadows.read_site = shadows.write_site + count;
  return storage;
}

std::size_t Cells::cell_count() const {
  return (sector_count_ * sector_bytes) >> shift_;
}

void Cells::open(std::size_t sector) {
  if (cells_storage_ == nullptr) cells_storage_ = make(cell_count(), cells);
  const std::size_t count = sector_bytes >> shift_, first = sector * count;
  const Stamp write = sectors.write[sector], read = sectors.read[sector];
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = static_cast<Stamp>(i >> (2 - shift_));
    cells.write[first + i] = write == 0 ? 0 : write + word;
    cells.read[first + i] = read == 0 ? 0 : read + word;  // a sector never has many_blocks
    cells.write_site[first + i] = sectors.write_site[sector];
    cells.read_site[first + i] = sectors.read_site[sector];
  }
  sectors.write[sector] = opened;
}

void Cells::split(unsigned shift) {
  if (shift >= shift_) return;
  const std::size_t old_count = cell_count(), times = std::size_t{1} << (shift_ - shift);
  shift_ = shift;
  if (cells_storage_ == nullptr) return;
  const Storage old = std::exchange(cells_storage_, make(cell_count(), cells));
  for (std::size_t part = 0; part < 4; ++part) {
    const std::uint32_t* from = old.get() + part * old_count;
    std::uint32_t* to = cells_storage_.get() + part * cell_count();
    for (std::size_t i = 0; i < old_count * times; ++i) to[i] = from[i / times];
  }
}

void Cells::forget() {
  for (std::size_t i = 0; i < sector_count_; ++i) {
    if (sectors.write[i] != opened) sectors.write[i] = 0;
    sectors.read[i] = 0;
  }
  for (std::size_t i = 0; cells_storage_ != nullptr && i < cell_count(); ++i) {
    if (cells.write[i] < in_flight) cells.write[i] = 0;
    cells.read[i] = 0;
  }
}

void Cells::forget_copies() {
  for (std::size_t i = 0; cells_storage_ != nullptr && i < cell_count(); ++i) {
    if (cells.write[i] >= in_flight) cells.write[i] = 0;
  }
}

std::uint32_t ReadSets::add(std::uint32_t set, Epoch epoch, SiteNumber site) {
  const Key key{std::uint64_t{set} << 32 | epoch, site};
  auto& recent = recent_[set % 4];
  if (recent.second != 0 && recent.first == key) return recent.second;
  const auto [entry, is_new] = known_.try_emplace(key, members_.size());
  if (is_new) members_.push_back({set, epoch, site});
  recent = *entry;
  return entry->second;
}

void ReadSets::clear() {
  members_.assign(1, Member{});
  known_.clear();
  for (auto& recent : recent_) recent.second = 0;
}

}  // namespace ladder::emulator
