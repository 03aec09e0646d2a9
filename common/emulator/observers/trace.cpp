// Records the accesses of chosen blocks, lane by lane, up to a number of them.
#include <bit>
#include <map>
#include <string_view>
#include <tuple>

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

// The launch that runs, as far as it is recorded.
class Recorder {
 public:
  Recorder(Trace& trace, const DeviceMemory& memory) : trace_(trace), memory_(memory) {}

  void start(const LaunchState& launch) {
    launch_ = &launch;
    traced_ = nullptr;
    instructions_.clear();
    memories_.clear();
    variables_ = shared_variables(launch);
    next_ = 0;
  }

  bool wants(std::uint64_t block) const {
    const bool room = !trace_.cut || trace_.accesses < trace_.limits.accesses;
    return block - trace_.limits.first_block < trace_.limits.blocks && room;
  }

  // One more execution of an instruction. False: no more of them are recorded.
  bool begin() {
    if (trace_.accesses >= trace_.limits.accesses) {
      trace_.cut = true;
      return false;
    }
    ++trace_.accesses;
    ++next_;
    return true;
  }

  struct Lanes {
    std::uint32_t mask, bytes;
    const std::uint64_t* address;  // by lane
  };
  // Of the execution that begin() told of last.
  void add(const Warp& warp, const Inst& inst, Space space, Kind kind, const Lanes& lanes) {
    TracedLaunch& launch = traced();
    std::map<std::uint32_t, TracedAccess> parts;  // by memory
    for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t memory = memory_at(space, lanes.address[lane]);
      TracedAccess& part = parts[memory];
      part.mask |= 1u << lane;
      part.offset[lane] =
          static_cast<std::int64_t>(lanes.address[lane] - launch.memories[memory].begin);
    }
    for (auto& [memory, part] : parts) {
      part.number = next_ - 1;
      part.instruction = number_of(warp, *inst.source);
      part.memory = memory;
      part.kind = kind;
      part.block = warp.block.index;
      part.warp = warp.index;
      part.bytes = lanes.bytes;
      launch.accesses.push_back(part);
    }
  }

 private:
  TracedLaunch& traced() {
    if (traced_ == nullptr) {
      trace_.launches.push_back(
          {launch_->function->display_name, launch_->grid, launch_->block, {}, {}, {}});
      traced_ = &trace_.launches.back();
    }
    return *traced_;
  }

  std::uint32_t number_of(const Warp& warp, const ptx::Instruction& instruction) {
    std::vector<TracedInstruction>& list = traced().instructions;
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
        return number_of({"local", "", 0, launch_->local_stride});
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
    if (found == nullptr) return number_of({"shared", "", 0, launch_->shared_bytes});
    return number_of({"shared", found->name, found->begin, found->bytes});
  }

  std::uint32_t number_of(const TracedMemory& memory) {
    std::vector<TracedMemory>& list = traced().memories;
    const auto [known, is_new] =
        memories_.try_emplace(std::tuple(memory.space, memory.name, memory.begin),
                              static_cast<std::uint32_t>(list.size()));
    if (is_new) list.push_back(memory);
    return known->second;
  }

  Trace& trace_;
  const DeviceMemory& memory_;
  const LaunchState* launch_ = nullptr;
  TracedLaunch* traced_ = nullptr;  // of this launch, once something was recorded
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
    const bool goes_on = access.continues || is_rest_of_generic(access);
    last_ = &access.inst;
    warp_ = access.warp.index;
    space_ = access.space;
    told_ = goes_on ? told_ | access.mask : access.mask;
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
  // Of an access whose lanes point into several spaces each part is told of, one after another.
  bool is_rest_of_generic(const WarpAccess& access) const {
    return static_cast<Space>(access.inst.space) == Space::generic && last_ == &access.inst &&
           access.warp.index == warp_ && access.space != space_ && (told_ & access.mask) == 0;
  }

  ThreadBlock& block_;
  Recorder& recorder_;
  // What was told last.
  const Inst* last_ = nullptr;
  unsigned warp_ = 0;
  Space space_ = Space::generic;
  std::uint32_t told_ = 0;
};

class TraceObserver : public Observer {
 public:
  TraceObserver(Trace& trace, const DeviceMemory& memory) : recorder_(trace, memory) {}

  bool needs_one_thread() const override { return true; }
  void launch_starts(const LaunchState& launch) override { recorder_.start(launch); }
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    return std::make_unique<BlockTrace>(block, recorder_);
  }

 private:
  Recorder recorder_;
};

}  // namespace

std::unique_ptr<Observer> make_trace(Trace& trace, const DeviceMemory& memory) {
  return std::make_unique<TraceObserver>(trace, memory);
}

}  // namespace ladder::emulator
