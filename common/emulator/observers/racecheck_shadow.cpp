#include "common/emulator/observers/racecheck_shadow.hpp"

#include <new>

namespace ladder::emulator {

Cells::Cells(std::size_t bytes) : bytes_(bytes) {
  make(shift_);
}

void Cells::make(unsigned shift) {
  shift_ = shift;
  // Vectors of eight cells may begin at the last.
  count_ = ((bytes_ + 3) / 4 << (2 - shift)) + 8;
  storage_.reset(static_cast<std::uint32_t*>(std::calloc(count_ * 4, sizeof(std::uint32_t))));
  if (storage_ == nullptr) throw std::bad_alloc();
  write = storage_.get();
  read = write + count_;
  write_site = read + count_;
  read_site = write_site + count_;
}

void Cells::split(unsigned shift) {
  if (shift >= shift_) return;
  const auto old = std::move(storage_);
  const std::size_t old_count = count_, times = std::size_t{1} << (shift_ - shift);
  make(shift);
  for (std::size_t part = 0; part < 4; ++part) {
    const std::uint32_t* from = old.get() + part * old_count;
    std::uint32_t* to = storage_.get() + part * count_;
    for (std::size_t i = 0; i < (old_count - 8) * times; ++i) to[i] = from[i / times];
  }
}

void Cells::forget() {
  for (std::size_t i = 0; i < count_; ++i) {
    if (write[i] < in_flight) write[i] = 0;
    read[i] = 0;
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
