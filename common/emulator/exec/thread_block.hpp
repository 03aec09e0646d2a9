// A block of threads while it runs: its warps, its shared memory, its barriers. Resumable: run()
// returns when nothing but waiting for other blocks is left.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

class BlockObserver;
class ReadLog;

class ThreadBlock {
 public:
  ThreadBlock(const LaunchState& launch_state, Worker& its_worker);
  ~ThreadBlock();

  static constexpr unsigned named_barriers = 16, cluster_barrier = 16;  // its id: behind theirs

  // Becomes block number `ticket` of the grid (x fastest).
  void start(std::uint64_t ticket);
  enum class Outcome { finished, spinning };
  // Throws Fault, with the whole text for a learner.
  Outcome run();
  // That the launch's threads wait for ever.
  [[noreturn]] void report_endless(const WaitAudit& audit) const;

  // A group's lanes arrive; it may release the barrier.
  void arrive(Warp& warp, Group& group, const Block& at, std::uint32_t mask) {
    Barrier& barrier = barriers_[0];
    if (!at.plain_barrier || watched_ || barrier.expected != 0) {
      return arrive_anyhow(warp, group, at, mask);
    }
    ++worker.counters.barriers;
    barrier.arrived += static_cast<std::uint32_t>(std::popcount(mask));
    reached_ |= 1;
    group.wait = Wait::barrier;
    group.at = &at;
    group.barrier = 0;
    if (barrier.arrived >= live_threads_) release(0);
  }
  void exited(std::uint32_t threads);  // these will never arrive
  // Which of the block's barriers a block of instructions ends in.
  static unsigned barrier_id(const std::byte* rows, const Block& at, int lane);
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }

  const LaunchState& launch;
  Worker& worker;
  Dim3 index;
  std::uint64_t number = 0;
  std::vector<std::byte> shared;
  std::vector<std::unique_ptr<BlockObserver>> observers;
  // Those of them that want BlockObserver::entered, or access.
  std::vector<BlockObserver*> entry_observers, access_observers;
  // By ptx::Space: those of access_observers that do not ignore it, a bit for each by its place.
  std::uint32_t listeners[8] = {};
  void find_listeners();
  bool accesses_matter = false;  // to anybody
  bool counts = false;           // they do, to the launch's counters
  bool only_counts = false;      // and to nobody else
  // Of the one among access_observers that has a log of reads, and its bit.
  ReadLog* read_log = nullptr;
  std::uint32_t read_log_bit = 0;

  // A fault of a warp's instruction, with who and where.
  Finding finding(const Warp& warp, const KernelFault& fault) const;

 private:
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  // 0: all live threads
    std::uint32_t predicate_count = 0, predicate_total = 0;
    // That have arrived; kept for observers, and where a number of threads was given.
    std::vector<std::uint32_t> lanes_of_warp;
    void clear();
  };
  void arrive_anyhow(Warp& warp, Group& group, const Block& at, std::uint32_t mask);
  void note_waiting_lanes(unsigned id);
  bool complete(const Barrier& barrier) const;
  void release_if_complete(unsigned id);
  void release(unsigned id);
  void tell_released(unsigned id);
  void write_reduction(const Group& group, const Barrier& barrier);
  // cluster_barrier.cpp
  void arrive_at_cluster(Warp& warp, std::uint32_t mask);
  void wait_for_cluster(Warp& warp, Group& group, const Block& at, std::uint32_t mask);
  void release_cluster_if_complete();

  const Warp& first_live_warp() const;
  [[noreturn]] void deadlock();
  [[noreturn]] void report(const Warp& warp, const KernelFault& fault) const;
  void check_deadline(const Warp& warp) const;

  const bool watched_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<unsigned> order_;
  std::uint32_t live_threads_ = 0;
  Barrier barriers_[named_barriers];
  std::uint32_t reached_ = 0;  // bit i: somebody has arrived at barrier i since its last release
  std::uint32_t passes_ = 0;   // over the warps
  std::uint32_t passes_that_looked_ = 0;
};

// Block number `ticket` of the grid.
Dim3 block_index(const LaunchState& launch, std::uint64_t ticket);
Site site_of(const LaunchState& launch, const Function& function,
             const ptx::Instruction* instruction, std::uint64_t block, unsigned thread);
// The path and line of the source; an inlined function of the toolkit counts as the line that calls
// it. {"", 0}: unknown.
std::pair<std::string, int> source_line(const Function& function,
                                        const ptx::Instruction& instruction);
std::string thread_text(const LaunchState& launch, unsigned thread);  // "(3,0,0)"
// "saxpy.cu:12" or "" if unknown.
std::string place(const Function& function, const ptx::Instruction& instruction);
// The instruction as text: "ld.global.f32 %f1, [%rd4+4]".
std::string text_of(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace ladder::emulator
