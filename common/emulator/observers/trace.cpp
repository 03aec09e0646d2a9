// Records the accesses of chosen blocks, lane by lane, up to a number of them.
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/shared_place.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/observers.hpp"
#include "common/emulator/trace.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;
using Kind = TracedAccess::Kind;

Kind kind_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::load:
    case Traffic::async_copy:  // of global memory; its other half comes as copy_started
      return Kind::read;
    case Traffic::store:
      return Kind::write;
    default:
      return Kind::atomic;
  }
}

// The trace, which launches that run at the same time share: so many accesses in all.
class Book {
 public:
  explicit Book(Trace& trace) : trace_(trace) {}

  TraceLimits limits() const { return trace_.limits; }
  // Also for the one more that will not be recorded, so that it is known that there was one.
  bool has_room(const TraceLimits& limits) const { return !cut_ || accesses_ < limits.accesses; }
  bool take_access(const TraceLimits& limits) {
    if (accesses_.fetch_add(1) < limits.accesses) return true;
    --accesses_;
    cut_ = true;
    return false;
  }

  // The trace may have been cleared; that counts where no launch runs.
  void open(bool first) {
    if (!first) return;
    accesses_ = trace_.accesses;
    cut_ = trace_.cut;
  }
  void add(TracedLaunch launch) {
    trace_.accesses = accesses_;
    trace_.cut = cut_;
    if (!launch.accesses.empty()) trace_.launches.push_back(std::move(launch));
  }

 private:
  Trace& trace_;
  std::atomic<std::uint64_t> accesses_ = 0;
  std::atomic<bool> cut_ = false;
};

// A launch that runs, as far as it is recorded.
class Recorder {
 public:
  Recorder(Book& book, const DeviceMemory& memory, const LaunchState& launch)
      : book_(book),
        memory_(memory),
        launch_(launch),
        limits_(book.limits()),
        traced_{launch.function->display_name, launch.grid, launch.block, {}, {}, {}},
        variables_(shared_variables(launch)) {}

  bool wants(std::uint64_t block) const {
    return block - limits_.first_block < limits_.blocks && book_.has_room(limits_);
  }

  // One more execution of an instruction. False: no more of them are recorded.
  bool begin() {
    if (!book_.take_access(limits_)) return false;
    ++next_;
    return true;
  }

  // What was recorded.
  TracedLaunch take() { return std::move(traced_); }

  struct Lanes {
    std::uint32_t mask, bytes;
    const std::uint64_t* address;  // by lane
  };
  // Of the execution that begin() told of last.
  void add(const Warp& warp, const Inst& inst, Space space, Kind kind, const Lanes& lanes) {
    std::map<std::uint32_t, TracedAccess> parts;  // by memory
    for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t memory = memory_at(space, lanes.address[lane]);
      TracedAccess& part = parts[memory];
      part.mask |= 1u << lane;
      part.offset[lane] =
          static_cast<std::int64_t>(lanes.address[lane] - traced_.memories[memory].begin);
    }
    for (auto& [memory, part] : parts) {
      part.number = next_ - 1;
      part.instruction = number_of(warp, *inst.source);
      part.memory = memory;
      part.kind = kind;
      part.block = warp.block.index;
      part.warp = warp.index;
      part.bytes = lanes.bytes;
      traced_.accesses.push_back(part);
    }
  }

 private:
  std::uint32_t number_of(const Warp& warp, const ptx::Instruction& instruction) {
    std::vector<TracedInstruction>& list = traced_.instructions;
    const auto [known, is_new] =
        instructions_.try_emplace(&instruction, static_cast<std::uint32_t>(list.size()));
    if (is_new) {
      const Function& function = *warp.frame->function;
      const auto [file, line] = source_line(function, instruction);
      list.push_back({file, line, text_of(*function.source, instruction)});
    }
    return known->second;
  }

  std::uint32_t memory_at(Space space, std::uint64_t address) {
    switch (space) {
      case Space::shared:
        return shared_at(address);
      case Space::local:
        return number_of({"local", "", 0, launch_.local_stride});
      default:
        const Device::Allocation* allocation = memory_.find(address);
        if (allocation == nullptr) return number_of({"global", "", 0, 0});
        return number_of({"global", allocation->what, allocation->address, allocation->bytes});
    }
  }

  std::uint32_t shared_at(std::uint64_t address) {
    const SharedVariable* found = nullptr;
    for (const SharedVariable& variable : variables_) {
      if (variable.begin <= address) found = &variable;
    }
    if (found == nullptr) return number_of({"shared", "", 0, launch_.shared_bytes});
    return number_of({"shared", found->name, found->begin, found->bytes});
  }

  std::uint32_t number_of(const TracedMemory& memory) {
    std::vector<TracedMemory>& list = traced_.memories;
    const auto [known, is_new] =
        memories_.try_emplace(std::tuple(memory.space, memory.name, memory.begin),
                              static_cast<std::uint32_t>(list.size()));
    if (is_new) list.push_back(memory);
    return known->second;
  }

  Book& book_;
  const DeviceMemory& memory_;
  const LaunchState& launch_;
  const TraceLimits limits_;
  TracedLaunch traced_;
  std::map<const ptx::Instruction*, std::uint32_t> instructions_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> memories_;
  std::vector<SharedVariable> variables_;
  std::uint64_t next_ = 0;
};

class BlockTrace : public BlockObserver {
 public:
  BlockTrace(ThreadBlock& block, Recorder& recorder) : block_(block), recorder_(recorder) {}

  void start() override { ignored_spaces = recorder_.wants(block_.number) ? 0 : ~0u; }

  void access(const WarpAccess& access) override {
    // Arguments and results of functions are in registers on a GPU.
    if (access.inst.source->opcode.find(".param") != std::string::npos) return;
    const bool goes_on = access.continues || access.other_space;
    if (!goes_on && !recorder_.begin()) {
      ignored_spaces = ~0u;
      block_.find_listeners();
      return;
    }
    recorder_.add(access.warp, access.inst, access.space, kind_of(access.traffic),
                  {access.mask, access.bytes, access.address.data()});
  }

  void copy_started(Warp& warp, const Inst& inst, std::uint32_t mask,
                    const std::uint32_t* to) override {
    if (ignored_spaces != 0) return;
    std::array<std::uint64_t, lanes> address{};
    for (std::size_t lane = 0; lane < lanes; ++lane) address[lane] = to[lane];
    recorder_.add(warp, inst, Space::shared, Kind::write,
                  {mask, std::uint32_t{inst.bytes}, address.data()});
  }

 private:
  ThreadBlock& block_;
  Recorder& recorder_;
};

class TraceObserver : public Observer {
 public:
  TraceObserver(Trace& trace, const DeviceMemory& memory) : book_(trace), memory_(memory) {}

  bool needs_one_thread() const override { return true; }
  void launch_starts(const LaunchState& launch) override {
    const std::lock_guard lock(mutex_);
    book_.open(running_.empty());
    running_.emplace(&launch, std::make_unique<Recorder>(book_, memory_, launch));
  }
  void launch_ends(const LaunchState& launch) override {
    const std::lock_guard lock(mutex_);
    const auto ended = running_.extract(&launch);
    if (!ended.empty()) book_.add(ended.mapped()->take());
  }
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<BlockTrace>(block, *running_.at(&block.launch));
  }

 private:
  Book book_;
  const DeviceMemory& memory_;
  std::mutex mutex_;  // of running_
  std::map<const LaunchState*, std::unique_ptr<Recorder>> running_;
};

}  // namespace

std::unique_ptr<Observer> make_trace(Trace& trace, const DeviceMemory& memory) {
  return std::make_unique<TraceObserver>(trace, memory);
}

}  // namespace ladder::emulator
