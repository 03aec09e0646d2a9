// Racecheck's memory of memory: for each word of a stretch of it, who wrote it last and who has read
// it since. Where accesses are narrower than a word, a stretch is split into cells of 2 bytes or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/emulator/observers/racecheck_stamp.hpp"

namespace ladder::emulator {

class Cells {
 public:
  explicit Cells(std::size_t bytes);

  std::size_t bytes() const { return bytes_; }
  // A cell is 1 << shift() bytes.
  unsigned shift() const { return shift_; }
  // Makes cells fine enough for an access there.
  void fit(std::uint64_t offset, std::uint32_t bytes) {
    const std::uint64_t odd = offset | bytes;
    if (((odd & 3) != 0) & (shift_ != 0)) split((odd & 1) != 0 ? 0 : 1);
  }
  // Forgets all but what is in flight.
  void forget();

  // By cell.
  Stamp* write = nullptr;
  Stamp* read = nullptr;
  SiteNumber* write_site = nullptr;
  SiteNumber* read_site = nullptr;  // many_blocks: the set's number

 private:
  void make(unsigned shift);
  void split(unsigned shift);

  std::size_t bytes_;
  unsigned shift_ = 2;
  std::size_t count_ = 0;
  std::unique_ptr<std::uint32_t, decltype(&std::free)> storage_{nullptr, &std::free};
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
