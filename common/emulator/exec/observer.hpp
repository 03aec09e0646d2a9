// How observers (observers/) watch a kernel: the device makes one Observer for each check that is
// on, and each of those one BlockObserver for every thread block that runs. Functions are lowered
// twice: only launches that are watched execute Function::observed, whose memory, fence and block
// entries come by here first. A launch that nobody watches pays nothing.
//
// Calls for one block come from one host thread at a time; blocks of a launch run on several host
// threads unless the observer says needs_one_thread(). Several launches may run at once, each on
// threads of its own: what an observer keeps of a launch, it keeps for each. Calls to an Observer
// come one at a time, but for observe().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "common/emulator/exec/read_log.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// An address for each lane. Not cleared: that would cost more than most observers do.
struct AddressOfLane : std::array<std::uint64_t, lanes> {
  AddressOfLane() {}
  using std::array<std::uint64_t, lanes>::operator=;
};

// Memory that an instruction is about to touch, in one space: generic addresses are resolved, and
// an instruction whose lanes point into several spaces comes as several accesses. Bounds are not
// checked yet: the instruction may still fault.
struct WarpAccess {
  Warp& warp;
  const Inst& inst;
  const std::byte* rows;
  ptx::Space space;  // global, shared or local; constant memory lies in global
  Traffic traffic;
  Order order;
  std::uint32_t mask;   // the lanes
  std::uint32_t bytes;  // of one lane, all elements of a vector together
  // How addresses lie within each chunk of eight lanes: neighbours (== bytes), all the same (0), or
  // no_stride. Only told for full masks.
  std::uint32_t stride;
  // One more part of an instruction that came before: matrices are loaded in several.
  bool continues = false;
  // The lanes of the same execution that point into another space than those told of before.
  bool other_space = false;
  // All bytes touched lie in [low, low + extent).
  std::uint64_t low, extent;
  // By lane, unspecified outside the mask; shared and local: offsets in the block's or the thread's
  // memory.
  alignas(32) AddressOfLane address;
};

// A barrier of a block that has been released.
struct BarrierMeeting {
  unsigned id;  // ThreadBlock::cluster_barrier: barrier.cluster
  bool all;     // all live threads of the block took part
  // By warp: the lanes that took part, those that only arrived (bar.arrive) included.
  const std::vector<std::uint32_t>& lanes_of_warp;
};

class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  // The block has become another of the grid (its index and number are set); all have finished.
  virtual void start() {}
  virtual void finish() {}

  virtual void access(const WarpAccess&) {}
  // Whether accesses of this instruction to global memory matter there: {from, bytes, not 0 if they
  // do}. Those that do not need not come. It holds until the launch ends.
  virtual Interest interest(const Inst&, std::uint64_t /*address*/) {
    return {0, ~std::uint64_t{0}, 1};
  }
  // Spaces (1 << Space) whose accesses it need not be told of now; ThreadBlock::find_listeners is
  // to be called where they change other than in start(). Of generic accesses, those of the spaces
  // they turn out to point to; the bit of generic itself saves finding that out.
  std::uint32_t ignored_spaces = 0;
  bool ignores(ptx::Space space) const {
    return ((ignored_spaces >> static_cast<unsigned>(space)) & 1) != 0;
  }
  // cp.async: at its start the lanes' shared addresses (the global read came as an access); later,
  // when the bytes of one lane have been written.
  virtual void copy_started(Warp&, const Inst&, std::uint32_t /*mask*/,
                            const std::uint32_t* /*to*/) {}
  virtual void copy_done(Warp&, int /*lane*/, std::uint32_t /*to*/, std::uint32_t /*bytes*/) {}
  virtual void fence(Warp&, const Inst&, std::uint32_t /*mask*/) {}
  // The lanes `met` have met in a __syncwarp, of which `going_on` go on from it now: those that
  // reached it by other ways are told of later.
  virtual void warp_met(Warp&, std::uint32_t /*met*/, std::uint32_t /*going_on*/) {}
  virtual void barrier_reached(Warp&, const Block&, std::uint32_t /*mask*/) {}
  virtual void barrier_released(const BarrierMeeting&) {}
  // An mbarrier at a shared address: the lanes arrive (release) or have seen a phase complete
  // (acquire).
  virtual void mbarrier_arrived(Warp&, std::uint32_t /*mask*/, std::uint32_t /*address*/) {}
  virtual void mbarrier_passed(Warp&, std::uint32_t /*mask*/, std::uint32_t /*address*/) {}
  // Lanes execute an operation with a member mask: shfl, vote, match, redux, elect, bar.warp.sync.
  // Those members that live and can come are there.
  virtual void collective(Warp&, const Inst&, const std::byte* /*rows*/, std::uint32_t /*mask*/) {}
  // Lanes come to a block of instructions that can only be reached by leaving out `sites`, places
  // where others may meet, for good (sync_sites.hpp).
  virtual void went_past(Warp&, const std::vector<std::uint32_t>& /*sites*/,
                         std::uint32_t /*mask*/) {}
  // A basic block of the program begins.
  virtual void entered(Warp&, const Block&, std::uint32_t /*mask*/) {}
  // Where ordinary reads of shared memory are kept for it; those that ReadLog::keep takes do not
  // come as accesses. nullptr: it wants them all at once.
  virtual ReadLog* read_log() { return nullptr; }
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual bool needs_one_thread() const { return false; }
  virtual bool wants_entries() const { return false; }  // BlockObserver::entered
  virtual bool wants_accesses() const { return true; }  // BlockObserver::access
  virtual std::unique_ptr<BlockObserver> observe(ThreadBlock& block) = 0;
  virtual void launch_starts(const LaunchState&) {}
  virtual void launch_ends(const LaunchState&) {}  // also after a fault
  // The host's side of global memory.
  virtual void allocated(DeviceAddress, std::size_t /*bytes*/) {}
  virtual void freed(DeviceAddress, std::size_t /*bytes*/) {}
  virtual void written(DeviceAddress, std::size_t /*bytes*/) {}  // copied in, or set
  // About to be copied, by the call `what` of the host: to the host, or on the device.
  virtual void read(DeviceAddress, std::size_t /*bytes*/, const std::string& /*what*/,
                    bool /*to_host*/) {}
  virtual void copied(DeviceAddress /*to*/, DeviceAddress /*from*/, std::size_t /*bytes*/) {}
};

// Puts the observers' door in front of an instruction that they want to see. Leaves others alone.
void add_observing(Inst& inst);
// What a watched block of instructions begins with: it is counted, and observers are told.
Inst entry_instruction(std::uint32_t block);
// The same where the block has places in Function::passed_by.
Inst entry_instruction_past(std::uint32_t block);
// Counts the lanes that the guard of `inst` lets through, at a site of the function's tally.
Inst counting_instruction(std::uint32_t site, const Inst& inst);

}  // namespace ladder::emulator
