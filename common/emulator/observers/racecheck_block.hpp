// Racecheck in one block of threads: each access is compared with what the shadow knows of the
// place.
#pragma once

#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/racecheck_order.hpp"
#include "common/emulator/observers/racecheck_window.hpp"

namespace ladder::emulator {

enum class Hazard { read_after_write, write_after_read, write_after_write, copy_in_flight };

class BlockRaces : public BlockObserver {
 public:
  BlockRaces(LaunchRaces& launch, ThreadBlock& block);

  void start() override;
  void access(const WarpAccess& access) override;
  Interest interest(const Inst& inst, std::uint64_t address) override;
  void copy_started(Warp& warp, const Inst& inst, std::uint32_t mask,
                    const std::uint32_t* to) override;
  void copy_done(Warp& warp, int lane, std::uint32_t to, std::uint32_t bytes) override;
  void fence(Warp& warp, const Inst& inst, std::uint32_t mask) override;
  void warp_met(Warp& warp, std::uint32_t met, std::uint32_t going_on) override;
  void barrier_reached(Warp& warp, const Block& at, std::uint32_t mask) override;
  void barrier_released(const BarrierMeeting& meeting) override;
  void mbarrier_arrived(Warp& warp, std::uint32_t mask, std::uint32_t address) override;
  void mbarrier_passed(Warp& warp, std::uint32_t mask, std::uint32_t address) override;
  ReadLog* read_log() override;

 private:
  // One thread's access to one stretch of memory.
  struct Touch {
    Warp& warp;
    const Inst& inst;
    const WarpAccess* access;  // nullptr: by cp.async, into shared memory
    SiteNumber site;           // with strong_site
    int lane;
    Stamp stamp;
    bool shared;
    std::uint64_t address;
    std::uint32_t bytes;
    StampWindow window;
    bool plain_order;  // the warp knows barriers only: no flags, no parts of itself

    bool strong() const { return (site & strong_site) != 0; }
  };

  // Before anything that a read which was kept could matter to, or that would change its order.
  void goes_astray(std::uint64_t address, std::uint64_t bytes);
  void look_at_reads();
  void look_at_read(const ReadLog::Entry& entry, const ReadLog::Shape& shape);
  Touch touch_of(Warp& warp, const Inst& inst, bool shared) const;
  void touch_all(const WarpAccess& access, Touch& touch, bool writes);
  // The lanes of `which` from touch.lane on.
  void touch_lanes(Touch touch, std::uint32_t which, bool writes);
  void touch_neighbours(const Touch& touch, std::uint32_t count, bool writes);
  void touch_sector(Cells& cells, std::size_t sector, const Touch& touch, bool writes);
  void touch_cells(Cells& cells, std::uint64_t offset, const Touch& touch, std::uint32_t count,
                   bool writes);
  void read_together(Touch& touch, int count);
  // Several places at once, if nothing is to be looked into.
  template <class Some>
  bool touch_places(const Shadows& at, std::size_t first, Some mine, const Touch& touch,
                    bool writes) const;
  template <class Some>
  bool read_places(const Shadows& at, std::size_t first, Some mine, const Touch& touch) const;
  template <class Some>
  bool read_by_many(const Shadows& at, std::size_t first, const Touch& touch) const;
  template <class Some>
  bool write_places(const Shadows& at, std::size_t first, Some mine, const Touch& touch) const;
  // One cell.
  void read_cell(const Shadows& cells, std::size_t cell, const Touch& touch);
  void write_cell(const Shadows& cells, std::size_t cell, const Touch& touch);
  void check_against_write(const Shadows& cells, std::size_t cell, const Touch& touch,
                           Hazard hazard);
  void check_against_reads(const Shadows& cells, std::size_t cell, const Touch& touch);
  void remember_read(const Shadows& cells, std::size_t cell, const Touch& touch);
  // Calls visit(cell) for the cells of an access; none if it runs out of the stretch: it will
  // fault.
  template <class Visit>
  static void for_cells(Cells& cells, bool shared, std::uint64_t address, std::uint32_t bytes,
                        const Visit& visit) {
    const std::uint64_t offset = shared ? address : address % LaunchRaces::page_bytes;
    if (offset + bytes > cells.bytes()) return;
    cells.fit(offset, bytes);
    const std::size_t last = (offset + bytes - 1) >> cells.shift();
    for (std::size_t cell = offset >> cells.shift(); cell <= last; ++cell) visit(cell);
  }
  std::uint32_t add_reader(std::uint32_t set, const Touch& touch);
  Knowledge knows(const Touch& touch, Stamp earlier) const;
  void synchronize(const WarpAccess& access);
  void report(const Touch& touch, Hazard hazard, Stamp earlier, SiteNumber earlier_site);

  LaunchRaces& launch_;
  ThreadBlock& block_;
  Cells shared_;
  ReadLog reads_;
  BlockOrder order_;
  std::vector<std::uint32_t> live_;
};

// Whether a store leaves the bytes of this lane as they are: what it writes is there already, or is
// what another lane writes there at the same time.
bool changes_nothing(const WarpAccess& access, int lane, Stamp earlier);

}  // namespace ladder::emulator
