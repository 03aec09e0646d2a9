// Racecheck in one block of threads: each access is compared with what the shadow knows of the place.
#pragma once

#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/racecheck_order.hpp"

namespace ladder::emulator {

enum class Hazard { read_after_write, write_after_read, write_after_write, copy_in_flight };

class BlockRaces : public BlockObserver {
 public:
  BlockRaces(LaunchRaces& launch, ThreadBlock& block);

  void start() override;
  void access(const WarpAccess& access) override;
  void copy_started(Warp& warp, const Inst& inst, std::uint32_t mask,
                    const std::uint32_t* to) override;
  void copy_done(Warp& warp, int lane, std::uint32_t to, std::uint32_t bytes) override;
  void fence(Warp& warp, const Inst& inst, std::uint32_t mask) override;
  void warp_met(Warp& warp, std::uint32_t met, std::uint32_t going_on) override;
  void barrier_reached(Warp& warp, const Block& at, std::uint32_t mask) override;
  void barrier_released(const BarrierMeeting& meeting) override;
  void mbarrier_arrived(Warp& warp, std::uint32_t mask, std::uint32_t address) override;
  void mbarrier_passed(Warp& warp, std::uint32_t mask, std::uint32_t address) override;

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

    bool strong() const { return (site & strong_site) != 0; }
  };

  Touch touch_of(Warp& warp, const Inst& inst) const;
  void read(Cells& cells, const Touch& touch);
  void write(Cells& cells, const Touch& touch);
  // One cell.
  void read_cell(Cells& cells, std::size_t cell, const Touch& touch);
  void write_cell(Cells& cells, std::size_t cell, const Touch& touch);
  void check_against_write(const Cells& cells, std::size_t cell, const Touch& touch, Hazard hazard);
  void check_against_reads(const Cells& cells, std::size_t cell, const Touch& touch);
  void remember_read(Cells& cells, std::size_t cell, const Touch& touch);
  std::uint32_t add_reader(std::uint32_t set, const Touch& touch);
  Knowledge knows(const Touch& touch, Stamp earlier) const;
  void synchronize(const WarpAccess& access);
  void report(const Touch& touch, Hazard hazard, Stamp earlier, SiteNumber earlier_site);

  LaunchRaces& launch_;
  ThreadBlock& block_;
  Cells shared_;
  BlockOrder order_;
  std::size_t in_flight_ = 0;  // cells
  std::vector<std::uint32_t> live_;
};

// Whether a store leaves the bytes of this lane as they are: what it writes is there already, or is
// what another lane writes there at the same time.
bool changes_nothing(const WarpAccess& access, int lane, Stamp earlier);

}  // namespace ladder::emulator
