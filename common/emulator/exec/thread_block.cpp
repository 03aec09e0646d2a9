#include "common/emulator/exec/thread_block.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <tuple>

#include "common/emulator/exec/endless_wait.hpp"
#include "common/emulator/exec/findings.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/own_place.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/waiting.hpp"
#include "common/emulator/ptx/reserved_shared.hpp"

namespace ladder::emulator {

namespace {

Dim3 thread_index(const LaunchState& launch, unsigned thread) {
  return {thread % launch.block.x, thread / launch.block.x % launch.block.y,
          thread / launch.block.x / launch.block.y};
}

// Between looks at the clock; each is at most a slice of every warp.
constexpr std::uint32_t passes_before_clock = 16;
// In each of which somebody has polled, until other blocks have their turn.
constexpr std::uint32_t passes_before_others = 256;

// Of its groups the one whose turn it is. Others that could go on are ahead of it, perhaps at the
// end of the kernel, and only wait for it to join them.
const Group& group_at_turn(const Warp& warp) {
  const auto rank = [](const Group& group) {
    return std::tuple(group.wait != Wait::none, group.yielded, -group.frame->depth, group.block);
  };
  return *std::min_element(warp.groups.begin(), warp.groups.end(),
                           [&](const Group& a, const Group& b) { return rank(a) < rank(b); });
}

std::uint32_t read_word(const std::byte* rows, std::uint32_t offset, int lane) {
  return reinterpret_cast<const std::uint32_t*>(rows + offset)[lane];
}

}  // namespace

ThreadBlock::ThreadBlock(const LaunchState& launch_state, Worker& its_worker)
    : launch(launch_state),
      worker(its_worker),
      shared(launch_state.shared_bytes + 64),
      watched_(launch_state.watched()) {
  for (unsigned w = 0; w < launch.warps; ++w) warps_.push_back(std::make_unique<Warp>(*this, w));
  order_.resize(launch.warps);
  for (const auto& observer : *launch.observers) {
    observers.push_back(observer->observe(*this));
    if (observer->wants_entries()) entry_observers.push_back(observers.back().get());
    if (!observer->wants_accesses()) continue;
    if (ReadLog* log = observers.back()->read_log()) {
      read_log = log;
      read_log_bit = 1u << access_observers.size();
    }
    access_observers.push_back(observers.back().get());
  }
  accesses_matter = launch.counts || !access_observers.empty();
  counts = launch.counts;
  only_counts = counts && access_observers.empty();
}

ThreadBlock::~ThreadBlock() = default;

void ThreadBlock::start(std::uint64_t ticket) {
  number = ticket;
  index = block_index(launch, ticket);
  live_threads_ = launch.threads;
  for (Barrier& barrier : barriers_) barrier.clear();
  reached_ = 0;
  // Shared memory holds garbage at first; all ones is a NaN and a bad index.
  std::memset(shared.data(), 0xff, launch.shared_bytes);
  // The barriers of cooperative groups there are used as they are found.
  const auto& variables = launch.function->shared;
  if (const auto own = variables.find(ptx::reserved_shared); own != variables.end()) {
    std::memset(shared.data() + own->second.begin, 0, own->second.bytes);
  }
  std::iota(order_.begin(), order_.end(), 0u);
  if (launch.order_seed != 0) {
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(launch.order_seed + ticket));
  }
  for (const auto& warp : warps_) warp->start();
  for (const auto& observer : observers) observer->start();
  find_listeners();
}

void ThreadBlock::find_listeners() {
  for (std::size_t space = 0; space < std::size(listeners); ++space) {
    listeners[space] = 0;
    for (std::size_t place = 0; place < access_observers.size(); ++place) {
      const bool listens = !access_observers[place]->ignores(static_cast<ptx::Space>(space));
      listeners[space] |= (listens ? 1u : 0u) << place;
    }
  }
}

ThreadBlock::Outcome ThreadBlock::run() {
  for (;;) {
    // Warps that meet at a barrier again and again never use up a slice.
    if (++passes_ % passes_before_clock == 0) check_deadline(first_live_warp());
    bool progress = false, spun = false, looked = false;
    for (const unsigned w : order_) {
      Warp& warp = *warps_[w];
      if (warp.exited() || !warp.runnable()) continue;
      try {
        const Stop stop = warp.run();
        (stop == Stop::spinning ? spun : progress) = true;
        looked = looked || warp.polls != 0;
        if (stop == Stop::spinning || stop == Stop::slice) check_deadline(warp);
        if (stop == Stop::slice && worker.audit != nullptr) worker.audit->disturb();
      } catch (const KernelFault& fault) {
        report(warp, fault);
      }
    }
    if (live_threads_ == 0) {
      for (const auto& observer : observers) observer->finish();
      return Outcome::finished;
    }
    if (worker.audit != nullptr && worker.audit->disturbed()) return Outcome::spinning;
    // Perhaps it only waits, and meets at a barrier between one look at a flag and the next.
    passes_that_looked_ = looked ? passes_that_looked_ + 1 : 0;
    if (progress && passes_that_looked_ < passes_before_others) continue;
    passes_that_looked_ = 0;
    if (progress || spun) return Outcome::spinning;
    deadlock();
  }
}

const Warp& ThreadBlock::first_live_warp() const {
  return **std::find_if(warps_.begin(), warps_.end(),
                        [](const auto& warp) { return !warp->exited(); });
}

unsigned ThreadBlock::barrier_id(const std::byte* rows, const Block& at, int lane) {
  return at.barrier_id == no_row ? 0 : read_word(rows, at.barrier_id, lane);
}

void ThreadBlock::arrive_anyhow(Warp& warp, Group& group, const Block& at, std::uint32_t mask) {
  if (at.barrier_kind == 'A') return arrive_at_cluster(warp, mask);
  if (at.barrier_kind == 'W') return wait_for_cluster(warp, group, at, mask);
  const std::byte* rows = group.frame->rows;
  const int first = std::countr_zero(mask);
  const unsigned id = barrier_id(rows, at, first);
  if (id >= named_barriers) {
    throw KernelFault{FaultKind::trap,
                      "barrier " + std::to_string(id) + " does not exist",
                      "",
                      "a block has barriers 0 to 15",
                      first,
                      at.end_source};
  }
  for (const auto& observer : observers) observer->barrier_reached(warp, at, mask);
  Barrier& barrier = barriers_[id];
  if (at.barrier_count != no_row) barrier.expected = read_word(rows, at.barrier_count, first);
  if (!observers.empty() || barrier.expected != 0) {
    if (barrier.lanes_of_warp.empty()) note_waiting_lanes(id);
    barrier.lanes_of_warp[warp.index] |= mask;
  }
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(mask));
  reached_ |= 1u << id;
  ++worker.counters.barriers;
  if (FunctionTally* tally = group.frame->tally) {
    ++tally->blocks[static_cast<std::size_t>(&at - group.frame->blocks)].arrivals;
  }
  if (at.barrier_source != no_row) {
    std::uint32_t predicate;
    std::memcpy(&predicate, rows + at.barrier_source, 4);
    barrier.predicate_count += static_cast<std::uint32_t>(std::popcount(predicate & mask));
    barrier.predicate_total += static_cast<std::uint32_t>(std::popcount(mask));
  }
  if (at.barrier_kind != 'a') {
    group.wait = Wait::barrier;
    group.at = &at;
    group.barrier = id;
  }
  release_if_complete(id);
}

// Those that came before anybody named a number of threads.
void ThreadBlock::note_waiting_lanes(unsigned id) {
  std::vector<std::uint32_t>& lanes_of_warp = barriers_[id].lanes_of_warp;
  lanes_of_warp.resize(launch.warps);
  for (const auto& warp : warps_) {
    for (const Group& group : warp->groups) {
      if (group.wait == Wait::barrier && group.barrier == id)
        lanes_of_warp[warp->index] |= group.mask;
    }
  }
}

void ThreadBlock::exited(std::uint32_t threads) {
  live_threads_ -= threads;
  for (std::uint32_t left = reached_; left != 0; left &= left - 1) {
    release_if_complete(static_cast<unsigned>(std::countr_zero(left)));
  }
}

bool ThreadBlock::complete(const Barrier& barrier) const {
  if (barrier.expected == 0) return barrier.arrived >= live_threads_;
  // Whoever gives a number counts whole warps: one has come when all its live lanes have.
  std::uint32_t arrived = 0;
  for (const auto& warp : warps_) {
    const std::uint32_t there = barrier.lanes_of_warp[warp->index];
    const bool whole = there != 0 && (warp->live() & ~there) == 0;
    arrived += whole ? lanes : static_cast<std::uint32_t>(std::popcount(there));
  }
  return arrived >= barrier.expected;
}

void ThreadBlock::release_if_complete(unsigned id) {
  if (id == cluster_barrier) return release_cluster_if_complete();
  if (complete(barriers_[id])) release(id);
}

void ThreadBlock::release(unsigned id) {
  Barrier& barrier = barriers_[id];
  if (!observers.empty()) tell_released(id);
  for (const auto& warp : warps_) {
    for (Group& group : warp->groups) {
      if (group.wait != Wait::barrier || group.barrier != id) continue;
      group.wait = Wait::none;
      if (barrier.predicate_total != 0 && group.at->barrier_source != no_row)
        write_reduction(group, barrier);
    }
  }
  barrier.clear();
  reached_ &= ~(1u << id);
}

void ThreadBlock::Barrier::clear() {
  arrived = expected = predicate_count = predicate_total = 0;
  lanes_of_warp.clear();
}

void ThreadBlock::tell_released(unsigned id) {
  const std::vector<std::uint32_t>& there = barriers_[id].lanes_of_warp;
  bool all = true;
  for (const auto& warp : warps_) all = all && (warp->live() & ~there[warp->index]) == 0;
  for (const auto& observer : observers) observer->barrier_released({id, all, there});
}

void ThreadBlock::write_reduction(const Group& group, const Barrier& barrier) {
  std::byte* row = group.frame->rows + group.at->barrier_result;
  if (group.at->barrier_kind == 'p') {
    auto* words = reinterpret_cast<std::uint32_t*>(row);
    for (std::uint32_t left = group.mask; left != 0; left &= left - 1) {
      words[std::countr_zero(left)] = barrier.predicate_count;
    }
    return;
  }
  const bool result = group.at->barrier_kind == '&'
                          ? barrier.predicate_count == barrier.predicate_total
                          : barrier.predicate_count != 0;
  std::uint32_t bits;
  std::memcpy(&bits, row, 4);
  bits = result ? bits | group.mask : bits & ~group.mask;
  std::memcpy(row, &bits, 4);
}

void ThreadBlock::check_deadline(const Warp& warp) const {
  if (launch.deadline == 0) return;
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (now < launch.deadline) return;
  // Where it stands: the block that it ran last may belong to a launch before this one.
  const Group* group = warp.groups.empty() ? nullptr : &group_at_turn(warp);
  const bool waits = anyone_waits(*this);
  report(
      warp,
      {FaultKind::timeout, "out of time: the kernel was still running",
       waits ? who_is_where(*this) : "",
       waits ? "do those that run wait for something that only those that wait can do? A lock must "
               "be given back before its holder waits for lanes that want it"
             : "does every loop end, and does no thread do the work of all? A loop that waits for "
               "another thread needs that thread to run",
       group ? std::countr_zero(group->mask) : 0, group ? instruction_of(*group) : nullptr});
}

void ThreadBlock::deadlock() {
  const Warp& first = first_live_warp();
  const Group& group = first.groups[0];
  report(first,
         {FaultKind::deadlock, "deadlock: all live threads of the block wait, none can go on",
          who_is_where(*this),
          "every thread of the block must reach the same __syncthreads(); every lane named in a "
          "mask must reach the shuffle or vote",
          std::countr_zero(group.mask), instruction_of(group)});
}

void ThreadBlock::report_endless(const WaitAudit& audit) const {
  const Warp* spinning = &first_live_warp();
  const Group* group = &spinning->groups[0];
  for (const auto& warp : warps_) {
    for (const Group& one : warp->groups) {
      if (group->wait == Wait::none || one.wait != Wait::none) continue;
      spinning = warp.get();
      group = &one;
    }
  }
  const ptx::Instruction* at = audit.polling_instruction(*spinning, group->mask);
  report(*spinning,
         {FaultKind::deadlock,
          "deadlock: threads wait in a loop for what can never come: nothing is left that could "
          "change it",
          who_is_where(*this, &audit),
          anyone_waits(*this)
              ? "do those that spin wait for something that only those that wait can do? A lock "
                "must be given back before its holder waits for lanes that want it"
              : "who was to give back the lock, or set the flag? It must be a thread that does not "
                "itself wait, and the value must be the one that is waited for",
          std::countr_zero(group->mask), at != nullptr ? at : instruction_of(*group)});
}

void ThreadBlock::report(const Warp& warp, const KernelFault& fault) const {
  throw Fault(finding(warp, fault));
}

Finding ThreadBlock::finding(const Warp& warp, const KernelFault& fault) const {
  Finding found;
  found.kind = fault.kind;
  found.what = fault.what;
  found.kernel = launch.function->display_name;
  found.where = fault.where;
  found.help = fault.help;
  // Where the lane is. The warp's own frame may be one that a call has left, or an earlier launch.
  const auto group = std::find_if(warp.groups.begin(), warp.groups.end(), [&](const Group& one) {
    return (one.mask >> fault.lane & 1) != 0;
  });
  const bool live = group != warp.groups.end();
  const Function& function = live ? *group->frame->function : *launch.function;
  found.site = site_of(launch, function, fault.instruction, number, warp.thread_of(fault.lane));
  if (live && fault.instruction != nullptr) {
    // The frame leads to its callers.
    const std::string place = own_place(*group->frame, *fault.instruction);
    if (!place.empty()) found.site.place = place;
  }
  return found;
}

Dim3 block_index(const LaunchState& launch, std::uint64_t ticket) {
  const std::uint64_t plane = std::uint64_t{launch.grid.x} * launch.grid.y;
  return {static_cast<unsigned>(ticket % launch.grid.x),
          static_cast<unsigned>(ticket / launch.grid.x % launch.grid.y),
          static_cast<unsigned>(ticket / plane)};
}

std::string thread_text(const LaunchState& launch, unsigned thread) {
  const Dim3 at = thread_index(launch, thread);
  return std::string("(") + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
         std::to_string(at.z) + ")";
}

Site site_of(const LaunchState& launch, const Function& function,
             const ptx::Instruction* instruction, std::uint64_t block, unsigned thread) {
  Site site;
  if (instruction != nullptr) {
    site.place = place(function, *instruction);
    if (site.place.empty())
      site.place = "line " + std::to_string(instruction->line) + " of the PTX";
    site.instruction = text_of(*function.source, *instruction);
  }
  site.block = block_index(launch, block);
  site.thread = thread_index(launch, thread);
  return site;
}

}  // namespace ladder::emulator
