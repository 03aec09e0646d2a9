// Groups of lanes: who runs, where they part, where they meet, calls and returns.
//
// Of the groups that can run, the one deepest in calls and at the lowest block goes first: so
// lanes that parted meet again by themselves. Two things break that rule: an operation with a
// member mask waits for its members, and a group that polls for long steps back for the others.
#include "common/emulator/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/builtins.hpp"
#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

constexpr std::int64_t slice_instructions = 200000;
constexpr int deepest_call = 10000;

u32 read_mask(const std::byte* rows, u32 offset) {
  u32 bits;
  std::memcpy(&bits, rows + offset, 4);
  return bits;
}

u32 guard_mask(const std::byte* rows, u32 guard, bool negated) {
  if (guard == no_row) return all_lanes;
  const u32 bits = read_mask(rows, guard);
  return negated ? ~bits : bits;
}

std::byte* allocate_rows(std::size_t bytes) {
  auto* rows = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
  std::memset(rows + zero_row, 0, zero_line_bytes);
  return rows;
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
  kernel->storage.reset(allocate_rows(launch.function->frame_bytes));
  kernel->rows = kernel->storage.get();
  kernel->cache = worker.cache_of(*launch.function);
  if (launch.counts) kernel->tally = worker.tally.of(*launch.function);
  fill(*kernel, 0);
  compute(*kernel, 0, launch.function->first_block_prologue);
  frames_.push_back(std::move(kernel));
}

void Warp::start() {
  const unsigned first = index * lanes;
  const unsigned here = std::min<unsigned>(launch.threads - first, lanes);
  const u32 mask = here == lanes ? all_lanes : (1u << here) - 1;
  if (frames_.size() > 1) frames_.resize(1);
  Frame& kernel = *frames_[0];
  kernel.live = mask;
  fill(kernel, launch.function->first_block_prefill);
  compute(kernel, launch.function->first_block_prologue, launch.function->prologue.size());
  groups.assign(1, Group{});
  groups[0].mask = mask;
  groups[0].frame = &kernel;
  current_ = 0;
  copies.clear();
  in_cluster = 0;
}

void Warp::fill(Frame& target, std::size_t first) {
  const auto& prefills = target.function->prefills;
  for (std::size_t p = first; p < prefills.size(); ++p) {
    const Prefill& row = prefills[p];
    std::byte* to = target.rows + row.offset;
    if (row.row_bytes == 0) {
      const u32 bits = row.value != 0 ? all_lanes : 0;
      std::memcpy(to, &bits, 4);
      continue;
    }
    const bool varies = row.kind == Prefill::Kind::special &&
                        static_cast<Special>(row.value) < first_uniform_special;
    const u64 value = prefill_value(row, *this, target, 0);
    if (row.row_bytes == 8) {
      std::fill_n(reinterpret_cast<u64*>(to), lanes, value);
    } else {
      std::fill_n(reinterpret_cast<u32*>(to), lanes, static_cast<u32>(value));
    }
    for (int lane = 1; varies && lane < lanes; ++lane) {
      const u64 own = prefill_value(row, *this, target, lane);
      if (row.row_bytes == 8) {
        reinterpret_cast<u64*>(to)[lane] = own;
      } else {
        reinterpret_cast<u32*>(to)[lane] = static_cast<u32>(own);
      }
    }
  }
}

// Runs a part of the prologue.
void Warp::compute(Frame& target, std::size_t first, std::size_t last) {
  const auto& prologue = target.function->prologue;
  for (std::size_t i = first; i < last; ++i) {
    prologue[i].all(target.rows, prologue[i], *this, all_lanes);
  }
}

u32 Warp::live() const {
  u32 mask = 0;
  for (const Group& group : groups) mask |= group.mask;
  return mask;
}

bool Warp::runnable() {
  if (groups.size() == 1) return groups[0].wait != Wait::barrier;
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

Stop Warp::run() {
  std::int64_t left = slice_instructions;
  polls = 0;
  for (;;) {
    if (groups.size() == 1) {
      groups[0].wait = Wait::none;
      groups[0].passes = false;
      current_ = 0;
      run_together(left);
    } else {
      if (!choose()) return Stop::waiting;
      const Block& at = groups[current_].frame->blocks[groups[current_].block];
      if (at.needs_members && !groups[current_].passes) {
        groups[current_].wait = Wait::members;
        release_members();
        if (!groups[current_].passes) continue;
      }
      groups[current_].passes = false;
      left -= execute(at, groups[current_]);
      finish(at);
    }
    if (groups.empty()) return Stop::exited;
    if (groups.size() == 1 && groups[0].wait == Wait::barrier) return Stop::waiting;
    if (polls >= polls_before_yielding && yield_to_others()) return Stop::spinning;
    if (left < 0) return Stop::slice;
  }
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

}  // namespace

u32 Warp::execute(const Block& at, const Group& group) {
  worker.counters.warp_instructions += at.count;
  worker.counters.thread_instructions += at.count * static_cast<u64>(std::popcount(group.mask));
  frame = group.frame;
  cache = group.frame->cache;
  running_ = &at;
  run_instructions(at, group.frame->rows, *this, group.mask);
  return at.count + 1;
}

// All live lanes are in one group, as they mostly are: nobody to wait for, nobody to meet. Returns
// when that has changed, or there is something for run() to look at.
void Warp::run_together(std::int64_t& left) {
  Group& group = groups[0];
  frame = group.frame;
  cache = frame->cache;
  const Block* const blocks = frame->blocks;
  std::byte* const rows = frame->rows;
  const u32 mask = group.mask;
  u64& executed = worker.counters.warp_instructions;
  u64& executed_by_threads = worker.counters.thread_instructions;
  const auto active = static_cast<u64>(std::popcount(mask));
  u32 index_of_block = group.block;
  for (;;) {
    const Block& at = blocks[index_of_block];
    executed += at.count;
    executed_by_threads += at.count * active;
    left -= at.count + 1;
    running_ = &at;
    run_instructions(at, rows, *this, mask);
    if (at.end == End::branch) {
      const u32 taken = mask & guard_mask(rows, at.guard, at.end_negated);
      if (taken == mask) {
        const bool backward = at.target <= index_of_block;
        index_of_block = at.target;
        if (!backward || (left >= 0 && polls < polls_before_yielding)) continue;
        group.block = index_of_block;
        return;
      }
      ++index_of_block;
      if (taken == 0) continue;
      group.block = index_of_block;
      note_divergence();
      return split(taken, at.target);
    }
    if (at.end == End::fall) {
      ++index_of_block;
      continue;
    }
    group.block = index_of_block;
    if (at.end != End::barrier || at.guard != no_row) return finish(at);
    group.block = ++index_of_block;
    block.arrive(*this, group, at, mask);
    if (groups.size() > 1 || group.wait != Wait::none) return;
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
      const u32 taken = mask & guard_mask(group.frame->rows, at.guard, at.end_negated);
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
  const u32 acting = mask & guard_mask(group.frame->rows, at.guard, at.end_negated);
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
  const u32 mask = group.mask & guard_mask(group.frame->rows, at.guard, at.end_negated);
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

void Warp::return_lanes(u32 mask) {
  Frame* callee = groups[current_].frame;
  if (callee->parent == nullptr) return exit_lanes(mask);
  const CallSite& call = *callee->call;
  Frame* caller = callee->parent;
  const auto& results = callee->function->results;
  for (std::size_t r = 0; r < std::min(results.size(), call.results.size()); ++r) {
    const u32 bytes = std::min(results[r].bytes, call.results[r].bytes);
    for (u32 m = mask; m != 0; m &= m - 1) {
      std::byte* base = local + static_cast<u64>(std::countr_zero(m)) * local_stride;
      std::memcpy(base + caller->local_base + call.results[r].offset,
                  base + callee->local_base + results[r].offset, bytes);
    }
  }
  groups[current_].frame = caller;
  groups[current_].block = callee->return_block;
  callee->live &= ~mask;
  if (callee->live == 0) {
    std::erase_if(frames_, [&](const auto& owned) { return owned.get() == callee; });
  }
}

void Warp::enter(const CallSite& call, u32 mask) {
  if (call.builtin != Builtin::none) {
    run_builtin(*this, *groups[current_].frame, call, mask);
    return;
  }
  if (call.callee != nullptr) return enter_function(*call.callee, call, mask);
  // Indirect: a group for each different target.
  const auto* target = reinterpret_cast<const u64*>(groups[current_].frame->rows + call.target);
  const int first = std::countr_zero(mask);
  const u64 number = target[first] - code_window;
  if (number >= launch.functions->size() || (*launch.functions)[number] == nullptr) {
    throw KernelFault{FaultKind::illegal_address,
                      "call through a pointer that is no function of the device",
                      "address " + hex(target[first]),
                      "a function pointer must be taken in device code: a host function's address "
                      "means nothing here",
                      first,
                      call.source};
  }
  u32 same = 0;
  for (u32 m = mask; m != 0; m &= m - 1) {
    if (target[std::countr_zero(m)] == target[first]) same |= 1u << std::countr_zero(m);
  }
  if (same != mask) {
    Group& group = groups[current_];
    Group rest = group;
    rest.mask = mask & ~same;
    --rest.block;  // calls again, with fewer lanes: the block holds nothing but the call
    group.mask = same;
    groups.push_back(rest);
  }
  enter_function(*(*launch.functions)[number], call, same);
}

void Warp::enter_function(const Function& callee, const CallSite& call, u32 mask) {
  Group& group = groups[current_];
  Frame* caller = group.frame;
  auto frame_of_callee = std::make_unique<Frame>();
  Frame& entered = *frame_of_callee;
  entered.function = &callee;
  entered.blocks = launch.blocks_of(callee).data();
  entered.parent = caller;
  entered.call = &call;
  entered.return_block = group.block;
  entered.live = mask;
  entered.depth = caller->depth + 1;
  entered.local_base = caller->local_base + (caller->function->local_bytes + 15) / 16 * 16;
  if (entered.depth > deepest_call || entered.local_base + callee.local_bytes > local_stride) {
    throw KernelFault{FaultKind::illegal_address,
                      "stack overflow: calls nest too deeply",
                      std::to_string(entered.depth) + " calls, " +
                          std::to_string(entered.local_base) + " bytes of stack",
                      "does the recursion end?",
                      std::countr_zero(mask),
                      call.source};
  }
  entered.cache = worker.cache_of(callee);
  if (launch.counts) entered.tally = worker.tally.of(callee);
  entered.storage.reset(allocate_rows(callee.frame_bytes));
  entered.rows = entered.storage.get();
  fill(entered, 0);
  compute(entered, 0, callee.prologue.size());
  for (std::size_t p = 0; p < std::min(callee.parameters.size(), call.arguments.size()); ++p) {
    const u32 bytes = std::min(callee.parameters[p].bytes, call.arguments[p].bytes);
    for (u32 m = mask; m != 0; m &= m - 1) {
      std::byte* base = local + static_cast<u64>(std::countr_zero(m)) * local_stride;
      std::memcpy(base + entered.local_base + callee.parameters[p].offset,
                  base + caller->local_base + call.arguments[p].offset, bytes);
    }
  }
  group.frame = &entered;
  group.block = 0;
  frames_.push_back(std::move(frame_of_callee));
}

u64 prefill_value(const Prefill& row, const Warp& warp, const Frame& frame, int lane) {
  const LaunchState& launch = warp.launch;
  switch (row.kind) {
    case Prefill::Kind::constant:
      return row.value;
    case Prefill::Kind::local:
      return row.value + frame.local_base;
    case Prefill::Kind::dynamic_shared:
      return row.value + dynamic_shared_start(*launch.function);
    case Prefill::Kind::parameter_address:
      return launch.parameters + row.value;
    case Prefill::Kind::parameter: {
      u64 bits = 0;
      std::memcpy(&bits, launch.parameter_bytes + row.value, row.value_bytes);
      const int unused = 64 - 8 * row.value_bytes;
      return row.is_signed ? static_cast<u64>(static_cast<s64>(bits << unused) >> unused) : bits;
    }
    case Prefill::Kind::computed:
      return 0;
    case Prefill::Kind::special:
      break;
  }
  const unsigned thread = warp.thread_of(lane);
  const u32 bit = 1u << lane;
  switch (static_cast<Special>(row.value)) {
    case Special::tid_x:
      return thread % launch.block.x;
    case Special::tid_y:
      return thread / launch.block.x % launch.block.y;
    case Special::tid_z:
      return thread / launch.block.x / launch.block.y;
    case Special::laneid:
      return static_cast<u64>(lane);
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return 64;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_ge:
      return static_cast<u32>(~(bit - 1));
    case Special::lanemask_gt:
      return static_cast<u32>(~(bit | (bit - 1)));
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::ctaid_x:
      return warp.block.index.x;
    case Special::ctaid_y:
      return warp.block.index.y;
    case Special::ctaid_z:
      return warp.block.index.z;
    case Special::smid:
      return warp.block.number % static_cast<u64>(launch.multiprocessors);
    case Special::gridid:
      return launch.grid_id;
    case Special::nsmid:
      return static_cast<u64>(launch.multiprocessors);
    case Special::dynamic_smem_size:
      return launch.dynamic_shared;
    case Special::total_smem_size:
      return launch.shared_bytes;
    case Special::envreg1:
      return launch.grid_workspace >> 32;
    case Special::envreg2:
      return launch.grid_workspace & 0xffffffffu;
    case Special::zero:
      return 0;
    case Special::one:
      return 1;
  }
  return 0;
}

}  // namespace ladder::emulator
