// Racecheck's memory of memory: for each word of a stretch of it, who wrote it last and who has
// read it since. Where accesses are narrower than a word, a stretch is split into cells of 2 bytes
// or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/emulator/observers/racecheck_stamp.hpp"

namespace ladder::emulator {

// Side by side: what is known of each place of a row of them.
struct Shadows {
  Stamp* write = nullptr;
  Stamp* read = nullptr;
  SiteNumber* write_site = nullptr;
  SiteNumber* read_site = nullptr;  // many_blocks: the set's number
};

// A sector of 32 bytes whose eight words were last touched by neighbouring threads in one
// instruction is kept as one place: the first word's stamps, of which the i-th word's are i more.
// Where that is not so it is open, and there is a place for each cell.
class Cells {
 public:
  static constexpr std::uint64_t sector_bytes = 32;
  static constexpr std::size_t words_of_sector = 8;
  static constexpr Stamp opened = 0xfffffffe;  // as `write` of a sector

  explicit Cells(std::size_t bytes);

  std::size_t bytes() const { return bytes_; }
  // A cell is 1 << shift() bytes.
  unsigned shift() const { return shift_; }
  // Makes cells fine enough for an access there, and opens its sectors.
  void fit(std::uint64_t offset, std::uint32_t bytes) {
    const std::uint64_t odd = offset | bytes;
    if (((odd & 3) != 0) & (shift_ != 0)) split((odd & 1) != 0 ? 0 : 1);
    const std::uint64_t last = (offset + bytes - 1) / sector_bytes;
    for (std::uint64_t sector = offset / sector_bytes; sector <= last; ++sector) {
      if (sectors.write[sector] != opened) open(sector);
    }
  }
  // Makes one place of an open sector again, with nothing else to be known of it.
  void close(std::size_t sector, Stamp write, SiteNumber write_site, Stamp read,
             SiteNumber read_site) {
    sectors.write[sector] = write;
    sectors.write_site[sector] = write_site;
    sectors.read[sector] = read;
    sectors.read_site[sector] = read_site;
  }
  // Forgets all but what is in flight.
  void forget();
  // Forgets what is in flight.
  void forget_copies();

  Shadows sectors;
  Shadows cells;  // of sectors that are open

 private:
  using Storage = std::unique_ptr<std::uint32_t, decltype(&std::free)>;
  static Storage make(std::size_t count, Shadows& shadows);
  std::size_t cell_count() const;
  void split(unsigned shift);
  void open(std::size_t sector);

  std::size_t bytes_;
  unsigned shift_ = 2;
  std::size_t sector_count_;
  Storage sectors_storage_{nullptr, &std::free}, cells_storage_{nullptr, &std::free};
};

// Sets of blocks that have read a place, each kept once: cells with the same history share one.
class ReadSets {
 public:
  struct Member {
    std::uint32_t rest;  // the set without this member; 0: it is the only one
    Epoch epoch;
    SiteNumber site;
  };
  // The set with one member more. Set 0 is empty.
  std::uint32_t add(std::uint32_t set, Epoch epoch, SiteNumber site);
  const Member& last(std::uint32_t set) const { return members_[set]; }
  std::size_t size() const { return members_.size(); }
  void clear();

 private:
  struct Key {
    std::uint64_t set_and_epoch;
    SiteNumber site;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.set_and_epoch ^ (std::uint64_t{key.site} << 17)) * 0x9e3779b97f4a7c15u >> 16;
    }
  };
  std::vector<Member> members_{Member{}};
  std::unordered_map<Key, std::uint32_t, Hash> known_;
  std::pair<Key, std::uint32_t> recent_[4];  // what was asked for last, by set
};

}  // namespace ladder::emulator
