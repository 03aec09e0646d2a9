// Calls and returns of a warp: a frame for the lanes that enter a function together.
#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/builtins.hpp"
#include "common/emulator/exec/frame_rows.hpp"
#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

constexpr int deepest_call = 10000;

}  // namespace

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
  if (callee->stack_at_entry != nullptr) {
    for (u32 m = mask; m != 0; m &= m - 1) {
      const int lane = std::countr_zero(m);
      stack[lane] = (*callee->stack_at_entry)[static_cast<std::size_t>(lane)];
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
  u32 stack_end = local_stride;
  for (u32 m = mask; m != 0; m &= m - 1)
    stack_end = std::min(stack_end, stack[std::countr_zero(m)]);
  if (entered.depth > deepest_call || entered.local_base + callee.local_bytes > stack_end) {
    throw KernelFault{FaultKind::illegal_address,
                      "stack overflow: calls nest too deeply",
                      std::to_string(entered.depth) + " calls, " +
                          std::to_string(entered.local_base) + " bytes of stack",
                      "does the recursion end?",
                      std::countr_zero(mask),
                      call.source};
  }
  if (callee.allocates_stack) {
    entered.stack_at_entry = std::make_unique<std::array<u32, lanes>>();
    std::copy_n(stack, lanes, entered.stack_at_entry->begin());
  }
  entered.cache = worker.cache_of(callee);
  if (launch.watched()) entered.tally = worker.tally.of(callee);
  allocate_rows(entered);
  fill_rows(entered, *this, 0);
  compute_rows(entered, *this, 0, callee.prologue.size());
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

}  // namespace ladder::emulator
