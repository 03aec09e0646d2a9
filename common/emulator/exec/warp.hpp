// A warp while it runs: groups of lanes that share a place in the program, and what an
// instruction's handler may reach (memory, the block, the launch).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "common/emulator/exec/memory.hpp"
#include "common/emulator/exec/program.hpp"
#include "common/emulator/exec/tally.hpp"

namespace ladder::emulator {

class Findings;
class Observer;  // observer.hpp
class ThreadBlock;
class WaitAudit;  // endless_wait.hpp

// An error found by an instruction. The warp that ran it adds who and where.
struct KernelFault {
  FaultKind kind;
  std::string what;   // first line: "reads 4 bytes out of bounds"
  std::string where;  // address line; may be empty
  std::string help;
  int lane;
  const ptx::Instruction* instruction;
};

// What all blocks of one launch share.
struct LaunchState {
  const Function* function = nullptr;
  Dim3 grid, block;
  unsigned threads = 0;  // of a block
  unsigned warps = 0;
  std::uint32_t shared_bytes = 0, dynamic_shared = 0;
  std::uint32_t local_stride = 0;  // bytes of local memory of a thread
  DeviceAddress parameters = 0, grid_workspace = 0;
  const std::byte* parameter_bytes = nullptr;
  bool memcheck = true, counts = false;
  std::atomic<bool> several_threads = false;              // may touch the same memory
  const std::function<void()>* when_stalled = nullptr;    // Launch::when_stalled
  const std::function<bool(int)>* nobody_else = nullptr;  // Launch::nobody_else
  const std::vector<std::unique_ptr<Observer>>* observers = nullptr;
  Findings* findings = nullptr;  // of observers
  std::uint64_t order_seed = 0;
  std::uint64_t grid_id = 0;
  int multiprocessors = 1;
  double deadline = 0;  // seconds on the steady clock; 0: none
  DeviceMemory* memory = nullptr;
  const std::vector<const Function*>* functions = nullptr;  // by index, for indirect calls
  const std::function<void(std::string_view)>* output = nullptr;
  std::mutex* output_mutex = nullptr;

  bool watched() const { return counts || !observers->empty(); }
  const std::vector<Block>& blocks_of(const Function& called) const {
    return watched() ? called.observed_blocks : called.blocks;
  }
};

// How a warp's addresses lie, without what all lanes share: an instruction finds it for those
// behind it in its block (see address_sharing.cpp).
struct alignas(64) AddressShape {
  std::uint64_t low = 0;                 // the least address
  std::uint64_t bytes = 0;               // from there to the end of the greatest's bytes
  std::uint64_t chunk_from_low[4] = {};  // addresses of each chunk's first lane
  std::uint32_t stride = 0;   // within a chunk of eight lanes, Warp::no_stride or Warp::scattered
  std::uint64_t pattern = 0;  // watched: AccessPattern::number of who found it
  alignas(64) std::uint32_t lane_from_low[lanes] = {};  // scattered only
};

// What one host thread owns. Processors fetch pairs of cache lines: no pair is shared with
// another's.
struct alignas(128) Worker {
  static constexpr std::size_t most_shapes = 64;
  AddressShape shapes[most_shapes];
  const LaunchState* launch = nullptr;
  std::vector<std::vector<Range>> caches;  // by function index, then Inst::cache
  Counters counters;                       // instructions and barriers, always
  Tally tally;                             // if the launch is watched
  WaitAudit* audit = nullptr;              // while it is found out if a wait can end
  std::atomic<std::uint64_t> finished{0};  // blocks; read by other threads

  Range* cache_of(const Function& function);
};

// The rows of one function for the lanes that called it together.
struct Frame {
  const Function* function = nullptr;
  const Block* blocks = nullptr;
  std::byte* rows = nullptr;
  Range* cache = nullptr;
  FunctionTally* tally = nullptr;  // nullptr: not watched
  Frame* parent = nullptr;         // nullptr: the kernel
  std::uint32_t return_block = 0;
  const CallSite* call = nullptr;
  std::uint32_t live = 0;        // lanes inside
  std::uint32_t local_base = 0;  // in every lane's local memory
  int depth = 0;
  // By lane, when the function was entered; only of one that changes it.
  std::unique_ptr<std::array<std::uint32_t, lanes>> stack_at_entry;
  std::unique_ptr<std::byte, decltype(&std::free)> storage{nullptr, &std::free};  // of the rows
};

enum class Wait : std::uint8_t { none, members, barrier };

// Lanes at one place.
struct Group {
  std::uint32_t mask = 0;
  std::uint32_t block = 0;
  Frame* frame = nullptr;
  Wait wait = Wait::none;
  bool yielded = false;       // span for long; others go first
  bool passes = false;        // its members have come: goes on from Wait::members
  const Block* at = nullptr;  // Wait::barrier: the block that ended in it
  unsigned barrier = 0;       // its id
};

// cp.async: copied when it is waited for, so that a missing wait shows. With `arrives` an arrival
// at that mbarrier, which follows the lane's copies before it; or a bulk copy, which tells it its
// bytes.
struct AsyncCopy {
  int lane;
  std::uint32_t group;
  std::byte* to;
  const std::byte* from;
  std::uint32_t bytes, zeros;
  std::byte* arrives = nullptr;
  bool bulk = false;
};

// After so many accesses that look like waiting, a group of lanes lets others go first.
inline constexpr std::uint32_t polls_before_yielding = 64;

enum class Stop { exited, waiting, spinning, slice };

class Warp {
 public:
  Warp(ThreadBlock& block, unsigned index);

  void start();  // at the kernel's first instruction, for the block's new index
  // Runs until nothing in it can go on, it spins, or its time slice is over.
  Stop run();
  bool exited() const { return groups.empty(); }
  bool runnable() {
    return groups.size() == 1 ? groups[0].wait != Wait::barrier : !groups.empty() && any_can_run();
  }
  std::uint32_t live() const;
  unsigned thread_of(int lane) const { return index * lanes + static_cast<unsigned>(lane); }
  const Block* running() const { return running_; }

  ThreadBlock& block;
  const LaunchState& launch;
  Worker& worker;
  const unsigned index;    // in the block
  Range* cache = nullptr;  // of the running frame
  Frame* frame = nullptr;  // running
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;
  std::byte* local = nullptr;  // lane l's bytes start at l * local_stride
  std::uint32_t local_stride = 0;
  // Strides that are none: lanes anywhere; lanes within 4 GB of each other, measured.
  static constexpr std::uint32_t no_stride = ~0u, scattered = ~1u;
  std::uint32_t polls = 0;  // accesses that look like waiting for somebody else
  std::vector<AsyncCopy> copies;
  std::uint32_t committed[lanes] = {};  // cp.async groups
  // What alloca has taken lies from here to the end of the lane's local memory.
  std::uint32_t stack[lanes] = {};
  std::uint32_t in_cluster = 0;  // lanes that have arrived at the cluster's barrier
  std::vector<Group> groups;
  template <class Visit>
  void visit_frames(const Visit& visit) const {
    for (const auto& own : frames_) visit(*own);
  }

 private:
  void run_together(Group& group, std::int64_t& left);
  bool any_can_run();
  void execute(const Block& at, const Group& group, std::int64_t& left);
  bool yield_to_others();
  bool choose();
  void merge();
  void release_members();
  std::uint32_t with_all_members(const Group& group, const Block& at) const;
  void finish(const Block& at);
  void note_divergence();
  void split(std::uint32_t taken, std::uint32_t target);
  void branch_indexed(const Block& at);
  void exit_lanes(std::uint32_t mask);
  void return_lanes(std::uint32_t mask);
  void enter(const CallSite& call, std::uint32_t mask);
  void enter_function(const Function& callee, const CallSite& call, std::uint32_t mask);
  std::size_t current_ = 0;
  const Block* running_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_;  // [0]: the kernel's
  std::unique_ptr<std::byte, decltype(&std::free)> local_storage_{nullptr, &std::free};
};

}  // namespace ladder::emulator
