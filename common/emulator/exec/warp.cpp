// Groups of lanes: who runs, where they part, where they meet.
//
// Of the groups that can run, the one deepest in calls and at the lowest block goes first: so
// lanes that parted meet again by themselves. Two things break that rule: an operation with a
// member mask waits for its members, and a group that polls for long steps back for the others.
#include "common/emulator/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/endless_wait.hpp"
#include "common/emulator/exec/frame_rows.hpp"
#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

constexpr std::int64_t slice_instructions = 200000;

// The lanes that a block's end is for.
u32 guard_mask(const std::byte* rows, const Block& at) {
  u32 bits;
  std::memcpy(&bits, rows + at.guard_row, 4);
  return bits ^ at.guard_flip;
}

}  // namespace

Range* Worker::cache_of(const Function& function) {
  const auto at = static_cast<std::size_t>(function.index);
  if (caches.size() <= at) caches.resize(at + 1);
  if (caches[at].empty()) caches[at].resize(function.caches + 1);
  return caches[at].data();
}

Warp::Warp(ThreadBlock& its_block, unsigned its_index)
    : block(its_block),
      launch(its_block.launch),
      worker(its_block.worker),
      index(its_index),
      shared(its_block.shared.data()),
      shared_bytes(its_block.launch.shared_bytes),
      local_stride(its_block.launch.local_stride) {
  if (local_stride != 0) {
    local_storage_.reset(static_cast<std::byte*>(std::calloc(lanes, local_stride)));
    local = local_storage_.get();
  }
  auto kernel = std::make_unique<Frame>();
  kernel->function = launch.function;
  kernel->blocks = launch.blocks_of(*launch.function).data();
  allocate_rows(*kernel);
  kernel->cache = worker.cache_of(*launch.function);
  if (launch.watched()) kernel->tally = worker.tally.of(*launch.function);
  fill_rows(*kernel, *this, 0);
  compute_rows(*kernel, *this, 0, launch.function->first_block_prologue);
  frames_.push_back(std::move(kernel));
}

void Warp::start() {
  const unsigned first = index * lanes;
  const unsigned here = std::min<unsigned>(launch.threads - first, lanes);
  const u32 mask = here == lanes ? all_lanes : (1u << here) - 1;
  if (frames_.size() > 1) frames_.resize(1);
  Frame& kernel = *frames_[0];
  kernel.live = mask;
  fill_rows(kernel, *this, launch.function->first_block_prefill);
  compute_rows(kernel, *this, launch.function->first_block_prologue,
               launch.function->prologue.size());
  groups.assign(1, Group{});
  groups[0].mask = mask;
  groups[0].frame = &kernel;
  current_ = 0;
  copies.clear();
  in_cluster = 0;
  std::fill_n(stack, lanes, local_stride);
}

u32 Warp::live() const {
  u32 mask = 0;
  for (const Group& group : groups) mask |= group.mask;
  return mask;
}

bool Warp::any_can_run() {
  return std::any_of(groups.begin(), groups.end(),
                     [](const Group& group) { return group.wait != Wait::barrier; }) &&
         choose();
}

void Warp::merge() {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size();) {
      Group& a = groups[i];
      const Group& b = groups[j];
      const bool meet = a.frame == b.frame && a.block == b.block && a.wait != Wait::barrier &&
                        b.wait != Wait::barrier && a.passes == b.passes;
      if (!meet) {
        ++j;
        continue;
      }
      a.mask |= b.mask;
      a.wait = Wait::none;
      a.yielded = a.yielded && b.yielded;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

// The lanes of a group in front of an operation with member masks whose members have all come.
// Lanes with different masks may stand side by side: each set is judged by itself.
u32 Warp::with_all_members(const Group& group, const Block& at) const {
  u32 here = group.mask;
  for (const Group& other : groups) {
    // The members of bar.warp.sync may wait at different places.
    const bool counts = at.warp_barrier && other.wait == Wait::members &&
                        other.frame->blocks[other.block].warp_barrier;
    if (counts) here |= other.mask;
  }
  const u32 missing = live() & ~here;
  const auto* members = reinterpret_cast<const u32*>(group.frame->rows + at.members);
  u32 complete = 0;
  for (u32 left = group.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((members[lane] & missing) == 0) complete |= 1u << lane;
  }
  return complete;
}

// Lanes whose members have come may go on; the others of their group stay.
void Warp::release_members() {
  u32 released[lanes];  // by group: all are judged before any goes
  const std::size_t count = groups.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Group& group = groups[i];
    released[i] =
        group.wait == Wait::members ? with_all_members(group, group.frame->blocks[group.block]) : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (released[i] == 0) continue;
    if (released[i] != groups[i].mask) {
      Group stays = groups[i];
      stays.mask &= ~released[i];
      groups.push_back(stays);
    }
    groups[i].mask = released[i];
    groups[i].wait = Wait::none;
    groups[i].passes = true;
  }
}

// Sets current_ to the group that runs next; false: all wait.
bool Warp::choose() {
  if (groups.size() > 1) merge();
  release_members();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Group* best = nullptr;
    for (const Group& group : groups) {
      if (group.wait != Wait::none || group.yielded) continue;
      const bool first = best == nullptr || group.frame->depth > best->frame->depth ||
                         (group.frame->depth == best->frame->depth && group.block < best->block);
      if (first) best = &group;
    }
    if (best) {
      current_ = static_cast<std::size_t>(best - groups.data());
      return true;
    }
    for (Group& group : groups) group.yielded = false;
  }
  return false;
}

// The group polls for long: others of the warp go first. True if there is no other.
bool Warp::yield_to_others() {
  polls = 0;
  if (current_ < groups.size()) groups[current_].yielded = true;
  return std::none_of(groups.begin(), groups.end(), [](const Group& other) {
    return other.wait == Wait::none && !other.yielded;
  });
}

namespace {

inline void run_instructions(const Block& at, std::byte* rows, Warp& warp, u32 mask) {
  const Inst* const last = at.last;
  if (mask == all_lanes) [[likely]] {
    for (const Inst* inst = at.first; inst != last; ++inst) inst->all(rows, *inst, warp, mask);
  } else {
    for (const Inst* inst = at.first; inst != last; ++inst) inst->some(rows, *inst, warp, mask);
  }
}

// Counts what the lanes of a mask execute while it lives, also if a fault ends it. Clocks read the
// number of instructions, so that is kept up to date.
class Executed {
 public:
  Executed(Counters& counters, u32 mask, std::int64_t& time_left)
      : counters_(counters),
        before_(counters.warp_instructions),
        lanes_in_(static_cast<u64>(std::popcount(mask))),
        left_(time_left) {}
  ~Executed() {
    counters_.thread_instructions += done() * lanes_in_;
    left_ -= static_cast<std::int64_t>(done());
  }
  Executed(const Executed&) = delete;

  void add(u32 instructions) { counters_.warp_instructions += instructions; }
  bool in_time() const { return static_cast<std::int64_t>(done()) <= left_; }

 private:
  u64 done() const { return counters_.warp_instructions - before_; }

  Counters& counters_;
  const u64 before_, lanes_in_;
  std::int64_t& left_;
};

}  // namespace

void Warp::execute(const Block& at, const Group& group, std::int64_t& left) {
  Executed executed(worker.counters, group.mask, left);
  executed.add(at.count);
  frame = group.frame;
  cache = group.frame->cache;
  running_ = &at;
  if (worker.audit != nullptr) [[unlikely]]
    return worker.audit->run(at, group.frame->rows, *this, group.mask);
  run_instructions(at, group.frame->rows, *this, group.mask);
}

// All live lanes are in one group, as they mostly are: nobody to wait for, nobody to meet. Returns
// when that has changed, or there is something for run() to look at.
inline void Warp::run_together(Group& group, std::int64_t& left) {
  group.wait = Wait::none;
  group.passes = false;
  current_ = 0;
  frame = group.frame;
  cache = frame->cache;
  const Block* const blocks = frame->blocks;
  std::byte* const rows = frame->rows;
  const u32 mask = group.mask;
  Executed executed(worker.counters, mask, left);
  const Block* next = blocks + group.block;
  const auto leave = [&] { group.block = static_cast<u32>(next - blocks); };
  for (;;) {
    const Block& at = *next;
    executed.add(at.count);
    running_ = &at;
    run_instructions(at, rows, *this, mask);
    if (at.end == End::branch) {
      const u32 taken = mask & guard_mask(rows, at);
      if (taken == mask) {
        next = at.taken;
        if (next > &at || (executed.in_time() && polls < polls_before_yielding)) continue;
        return leave();
      }
      ++next;
      if (taken == 0) continue;
      leave();
      note_divergence();
      return split(taken, at.target);
    }
    if (at.end == End::fall) {
      ++next;
      continue;
    }
    if (at.end != End::barrier || at.guard != no_row) {
      leave();
      return finish(at);
    }
    ++next;
    leave();
    block.arrive(*this, group, at, mask);
    if (groups.size() > 1 || group.wait != Wait::none) return;
  }
}

Stop Warp::run() {
  std::int64_t left = slice_instructions;
  polls = 0;
  for (;;) {
    if (groups.size() == 1 && worker.audit == nullptr) {
      run_together(groups.front(), left);
    } else {
      if (!choose()) return Stop::waiting;
      const Block& at = groups[current_].frame->blocks[groups[current_].block];
      if (at.needs_members && !groups[current_].passes) {
        groups[current_].wait = Wait::members;
        release_members();
        if (!groups[current_].passes) continue;
      }
      groups[current_].passes = false;
      execute(at, groups[current_], left);
      finish(at);
    }
    if (groups.size() == 1 && groups.front().wait == Wait::barrier) return Stop::waiting;
    if (groups.empty()) return Stop::exited;
    if (polls >= polls_before_yielding && yield_to_others()) return Stop::spinning;
    if (left < 0) return Stop::slice;
  }
}

// What follows a block's instructions.
void Warp::finish(const Block& at) {
  Group& group = groups[current_];
  const u32 mask = group.mask;
  switch (at.end) {
    case End::fall:
      ++group.block;
      return;
    case End::branch: {
      const u32 taken = mask & guard_mask(group.frame->rows, at);
      if (taken == mask) {
        group.block = at.target;
      } else {
        ++group.block;
        if (taken == 0) return;
        note_divergence();
        split(taken, at.target);
      }
      return;
    }
    case End::branch_indexed:
      return branch_indexed(at);
    default:
      break;
  }
  const u32 acting = mask & guard_mask(group.frame->rows, at);
  ++group.block;
  if (acting == 0) return;
  if (acting != mask) {  // the others go on behind it
    Group rest = group;
    rest.mask = mask & ~acting;
    group.mask = acting;
    groups.push_back(rest);
  }
  switch (at.end) {
    case End::exit:
      return exit_lanes(acting);
    case End::ret:
      return return_lanes(acting);
    case End::call:
      return enter(groups[current_].frame->function->calls[at.call], acting);
    default:
      return block.arrive(*this, groups[current_], at, acting);
  }
}

void Warp::note_divergence() {
  if (frame->tally == nullptr) return;
  ++frame->tally->blocks[static_cast<std::size_t>(running_ - frame->blocks)].divergent;
}

void Warp::split(u32 taken, u32 target) {
  Group& stays = groups[current_];
  stays.mask &= ~taken;
  Group goes = stays;
  goes.mask = taken;
  goes.block = target;
  groups.push_back(goes);
}

void Warp::branch_indexed(const Block& at) {
  Group& group = groups[current_];
  const u32 mask = group.mask & guard_mask(group.frame->rows, at);
  const auto* index_row = reinterpret_cast<const u32*>(group.frame->rows + at.index);
  const u32 next = group.block + 1;
  u32 left = mask;
  u32 rest = group.mask & ~mask;
  const u32 whole = group.mask;
  u32 target = next;
  if (left == 0) {
    group.block = next;
    return;
  }
  while (left != 0) {
    const u32 index_value = index_row[std::countr_zero(left)];
    if (index_value >= at.targets.size()) {
      throw KernelFault{
          FaultKind::trap,
          "indexed branch outside its list of targets",
          "index " + std::to_string(index_value) + " of " + std::to_string(at.targets.size()),
          "a switch was compiled to a jump table, and its value is not in it",
          std::countr_zero(left),
          at.end_source};
    }
    u32 same = 0;
    for (u32 m = left; m != 0; m &= m - 1) {
      const int lane = std::countr_zero(m);
      if (index_row[lane] == index_value) same |= 1u << lane;
    }
    left &= ~same;
    target = at.targets[index_value];
    if (same == whole) {
      groups[current_].block = target;
      return;
    }
    if (left == 0 && rest == 0) break;              // the last set stays in this group
    if (left == (mask & ~same)) note_divergence();  // once
    split(same, target);
  }
  groups[current_].block = rest != 0 ? next : target;
}

void Warp::exit_lanes(u32 mask) {
  for (Frame* f = groups[current_].frame; f != nullptr; f = f->parent) f->live &= ~mask;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(current_));
  current_ = 0;
  block.exited(static_cast<u32>(std::popcount(mask)));
}

}  // namespace ladder::emulator
