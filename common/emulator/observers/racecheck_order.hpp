// What happens before what in a block of threads: barriers, __syncwarp, fences with atomics.
//
// Knowledge is kept by warp: what one thread learns from a flag, its warp knows. A warp's own
// threads are told apart.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/racecheck_launch.hpp"
#include "common/emulator/observers/racecheck_window.hpp"

namespace ladder::emulator {

class BlockOrder {
 public:
  BlockOrder(LaunchRaces& launch, unsigned warps, Cells& shared, ReadLog& reads);
  ~BlockOrder();
  BlockOrder(const BlockOrder&) = delete;

  // As block `number` of the grid, from its beginning.
  void start(std::uint64_t number);
  // All that happened so far counts as ordered.
  void forget();
  // To be called before anything of this block.
  void run() {
    if (launch_.running != this) resume();
  }

  void warp_met(const Warp& warp, std::uint32_t met, std::uint32_t going_on);
  // bar.arrive: these threads do not wait.
  void arrived(const Warp& warp, unsigned barrier, std::uint32_t mask);
  // Whether all before the meeting comes before all behind it.
  bool orders_all(const BarrierMeeting& meeting) const {
    return meeting.all && named_[meeting.id].clock == nullptr;
  }
  void released(const BarrierMeeting& meeting, std::span<const std::uint32_t> live);
  void fence(unsigned warp, std::uint32_t mask, bool inside_block);

  // Release and acquire at `bytes` bytes of global or of the block's shared memory.
  struct Word {
    std::uint64_t address;
    std::uint32_t bytes;
    bool shared;
    bool inside_block;  // only threads of the block are meant
  };
  // A release operation of these threads begins: what they did so far is released.
  void begin_release(const Warp& warp, std::uint32_t mask);
  // A strong write: releases what stands before the thread's last fence. A plain store, unlike an
  // atomic, ends what others have released there.
  void strong_write(const Warp& warp, int lane, const Word& word, bool atomic);
  // A strong read: acquires what was released there, at once or when a fence follows.
  void strong_read(unsigned warp, const Word& word, bool acquires);
  // An mbarrier: all that these threads did so far is released there.
  void arrived_at_object(const Warp& warp, std::uint32_t mask, const Word& word);
  // Whether strong accesses of the warp can matter at all.
  bool may_synchronize(unsigned warp, bool shared) const {
    return warps_[warp].has_fence || !(shared ? objects_ : launch_.objects).empty();
  }

  Knowledge knows(unsigned warp, int lane, Stamp stamp) const;

  std::uint64_t number() const { return number_; }
  Epoch now(unsigned warp) const { return warps_[warp].now; }
  Epoch last_barrier() const { return barrier_; }
  StampWindow window(unsigned warp, bool shared) const {
    // In shared memory there are no other blocks' stamps but older ones.
    const Epoch from = shared ? 0 : own_from_;
    return {.floor = (shared ? began_ : launch_.began()) << stamp_bits,
            .from = from << stamp_bits,
            .ordered = (std::max(barrier_, from) - from) << stamp_bits,
            .own = (launch_.upcoming_epoch() - from) << stamp_bits,
            .together = warps_[warp].together << stamp_bits};
  }
  // Whether the warp knows barriers alone: no flags, no meetings of some of its lanes.
  bool is_plain(unsigned warp) const {
    return warps_[warp].known == nullptr && warps_[warp].apart == nullptr;
  }

 private:
  // What each lane knows of the others, after they have met in parts.
  struct LaneOrder {
    Epoch before[lanes][lanes];  // [who knows][of whom]
  };
  struct WarpOrder {
    Epoch now = 0;
    Epoch together = 0;  // when all its lanes met last
    std::unique_ptr<LaneOrder> apart;
    std::uint32_t still_there = 0;  // lanes that have met others and not gone on yet
    ClockPointer known;
    ClockPointer seen;  // by strong reads: known once a fence or a barrier follows
    // By lane: what is released by strong writes, 0 for nothing.
    std::array<Epoch, lanes> fenced{};
    std::uint32_t fenced_inside = 0;  // lanes whose fence was for the block alone
    bool has_fence = false;
    // The last clock that was made for publishing, and of what.
    struct {
      int lane = -1;
      Epoch before = 0, together = 0, barrier = 0;
      ClockPointer known, clock;
    } published;
  };
  struct Named {  // a barrier at which threads arrived without waiting
    ClockPointer clock;
    std::vector<std::uint32_t> lanes_of_warp;
  };

  void resume();
  Epoch advance(WarpOrder& warp) { return warp.now = launch_.next_epoch(number_); }
  void meet(WarpOrder& warp, std::uint32_t mask, std::uint32_t live);
  static void learn_seen(WarpOrder& warp);
  void released_to_all();
  void share_knowledge();
  // What others know who synchronise with these lanes.
  ClockPointer knowledge_of_lanes(unsigned warp, std::uint32_t mask, std::uint32_t live,
                                  Epoch before) const;
  const ClockPointer& published(unsigned warp, int lane, Epoch before);

  LaunchRaces& launch_;
  Cells& shared_;
  ReadLog& reads_;  // of shared memory
  std::uint64_t number_ = 0;
  Epoch began_ = 0, own_from_ = 0, barrier_ = 0;
  std::vector<WarpOrder> warps_;
  std::array<Named, ThreadBlock::cluster_barrier + 1> named_;
  SyncObjects objects_;  // in shared memory
};

}  // namespace ladder::emulator
