#include "common/emulator/exec/sync_sites.hpp"

#include <algorithm>

#include "common/emulator/exec/collective.hpp"

namespace ladder::emulator {

namespace {

using Sites = std::uint64_t;  // a set of at most 64

// The barrier or the operation with a member mask in a block; there is at most one of each.
std::vector<const ptx::Instruction*> meetings(const DraftBlock& draft) {
  std::vector<const ptx::Instruction*> list;
  if (draft.block.members != no_row) {
    const auto first =
        std::find_if(draft.instructions.begin(), draft.instructions.end(), [](const Inst& inst) {
          return inst.source != nullptr && meets_members(inst.source->opcode);
        });
    if (first != draft.instructions.end()) list.push_back(first->source);
  }
  if (draft.block.end == End::barrier) list.push_back(draft.block.end_source);
  return list;
}

// Does something that others can see.
bool has_effects(const DraftBlock& draft) {
  return draft.block.end == End::barrier || draft.block.end == End::call ||
         draft.block.members != no_row ||
         std::any_of(draft.instructions.begin(), draft.instructions.end(),
                     [](const Inst& inst) { return inst.bytes != 0; });
}

struct Flow {
  Sites here = 0;            // places in the block
  Sites behind = 0;          // that may have been passed on the way to it
  Sites ahead = 0;           // that may still come, its own included
  Sites missed = ~Sites{0};  // that need not have been passed
};

std::vector<Flow> solve(const std::vector<DraftBlock>& blocks, std::vector<Flow> flow) {
  for (std::size_t b = 1; b < flow.size(); ++b) flow[b].missed = 0;
  for (Flow& at : flow) at.ahead = at.here;
  for (bool changed = true; changed;) {
    changed = false;
    const auto join = [&](Sites& to, Sites more) {
      changed = changed || (more & ~to) != 0;
      to |= more;
    };
    for (std::size_t b = 0; b < flow.size(); ++b) {
      for (const std::uint32_t next : successors(blocks, b)) {
        join(flow[next].behind, flow[b].behind | flow[b].here);
        join(flow[next].missed, flow[b].missed & ~flow[b].here);
        join(flow[b].ahead, flow[next].ahead);
      }
    }
  }
  return flow;
}

bool same_location(const ptx::Function& function, ptx::SourceLocation a, ptx::SourceLocation b) {
  for (;;) {
    if (a.line == 0 || a.file != b.file || a.line != b.line) return false;
    if (a.inlined_at < 0 || b.inlined_at < 0) return a.inlined_at == b.inlined_at;
    a = function.inline_sites.at(static_cast<std::size_t>(a.inlined_at)).call;
    b = function.inline_sites.at(static_cast<std::size_t>(b.inlined_at)).call;
  }
}

}  // namespace

bool same_place(const ptx::Function& function, const ptx::Instruction& a,
                const ptx::Instruction& b) {
  return &a == &b || (a.opcode == b.opcode && same_location(function, a.source, b.source));
}

void find_sync_sites(const std::vector<DraftBlock>& blocks, Function& function) {
  if (!function.source->entry) return;  // a function may be called again
  std::vector<const ptx::Instruction*> sites;
  std::vector<std::pair<std::size_t, std::size_t>> at;  // block, site
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const ptx::Instruction* instruction : meetings(blocks[b])) {
      const auto known = std::find_if(sites.begin(), sites.end(), [&](const auto* other) {
        return same_place(*function.source, *other, *instruction);
      });
      const auto site = static_cast<std::size_t>(known - sites.begin());
      if (known == sites.end()) sites.push_back(instruction);
      function.sync_sites[instruction] = static_cast<std::uint32_t>(site);
      at.emplace_back(b, site);
    }
  }
  function.passed_by.resize(blocks.size());
  for (std::size_t first = 0; first < sites.size(); first += 64) {
    std::vector<Flow> flow(blocks.size());
    for (const auto& [block, site] : at) {
      if (site / 64 == first / 64) flow[block].here |= Sites{1} << (site % 64);
    }
    flow = solve(blocks, std::move(flow));
    Sites in_loops = 0;  // these may have been passed too seldom, not only never
    for (const Flow& block : flow) in_loops |= block.here & block.behind;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!has_effects(blocks[b])) continue;
      const Sites passed = flow[b].behind & (flow[b].missed | in_loops) & ~flow[b].ahead;
      for (std::size_t bit = 0; bit < 64; ++bit) {
        if ((passed >> bit) & 1) {
          function.passed_by[b].push_back(static_cast<std::uint32_t>(first + bit));
        }
      }
    }
  }
}

}  // namespace ladder::emulator
