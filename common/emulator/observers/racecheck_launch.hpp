// What racecheck knows of a whole launch: epochs, the shadow of global memory, the places through
// which threads synchronise, the instructions' numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/emulator/exec/warp.hpp"
#include "common/emulator/observers/racecheck_clock.hpp"
#include "common/emulator/observers/racecheck_shadow.hpp"

namespace ladder::emulator {

class BlockOrder;

// What was released at a word: whoever reads it with a strong read and a fence behind knows it.
struct SyncObject {
  ClockPointer clock;   // for all
  ClockPointer inside;  // only for threads of `block` (a fence of .cta scope)
  std::uint64_t block = 0;
};
using SyncObjects = std::unordered_map<std::uint64_t, SyncObject>;  // by address

class LaunchRaces {
 public:
  void start(const LaunchState& launch);
  void end();
  // Memory was freed: what comes there next is something else.
  void freed(std::uint64_t address, std::size_t bytes);
  void add(BlockOrder& block) { blocks_.insert(&block); }
  void remove(BlockOrder& block) { blocks_.erase(&block); }

  Epoch next_epoch(std::uint64_t block) {
    owners_.push_back(block);
    return static_cast<Epoch>(owners_.size() - 1);
  }
  // Epochs before are of other launches, which are over.
  Epoch began() const { return began_; }
  Epoch upcoming_epoch() const { return static_cast<Epoch>(owners_.size()); }
  std::uint64_t owner(Epoch epoch) const { return owners_[epoch]; }
  // To be called before a few epochs are taken: forgets all that happened when numbers run out.
  void make_room() {
    if (owners_.size() > last_epoch - 256 || sets.size() > most_sets) forget();
  }

  // The shadow of the page around a global address; nullptr: not memory, or memory that a kernel's
  // malloc gave out, which changes hands unseen.
  static constexpr std::uint64_t page_bytes = 4096;
  Cells* page_at(std::uint64_t address) {
    const std::uint64_t number = address / page_bytes;
    Recent& recent = recent_[number % recent_.size()];
    if (recent.number != number) recent = {number, find_page(address)};
    return recent.cells;
  }

  SiteNumber site(const Function& function, const ptx::Instruction& instruction) const {
    const auto in_function = &instruction - function.source->body.data();
    return first_site_[static_cast<std::size_t>(function.index)] +
           static_cast<SiteNumber>(in_function);
  }
  struct Place {
    const Function* function;
    const ptx::Instruction* instruction;
  };
  Place place_of(SiteNumber site) const;

  // Whether the launch may write to the memory around an address: as far as the kernel's text
  // tells, and as seen so far.
  bool may_write(std::uint64_t address, std::uint64_t bytes) const;
  // It does after all, to any memory.
  void writes_anything() { anything_written_ = true; }

  // Whether it is the ordinary load before a loop of compare-and-swap at the same place, as the
  // programming guide writes it: the swap finds out if the value was old.
  bool swap_follows(const Place& load);

  ReadSets sets;
  SyncObjects objects;
  const BlockOrder* running = nullptr;  // the block that took the last epochs

 private:
  static constexpr std::size_t most_sets = 1 << 20;
  static constexpr std::size_t most_kept_pages = 4096;  // from one launch to the next: 64 MB
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Cells* cells = nullptr;
  };
  Cells* find_page(std::uint64_t address);
  void find_written(const WrittenParameters& parameters);
  void forget();
  void drop_pages();

  const LaunchState* launch_ = nullptr;
  std::vector<std::uint64_t> owners_{0};  // of epochs
  Epoch began_ = 1;
  std::set<BlockOrder*> blocks_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Cells>> pages_;
  std::vector<std::uint64_t> unchecked_pages_;  // that have no cells in this launch
  std::array<Recent, 2048> recent_;             // a matrix has a page for each row, or several
  std::vector<Range> written_;                  // allocations
  bool anything_written_ = false;
  std::vector<SiteNumber> first_site_;  // by function index
  std::map<const ptx::Instruction*, bool> swap_follows_;
};

}  // namespace ladder::emulator
