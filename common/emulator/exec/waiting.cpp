#include "common/emulator/exec/waiting.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "common/emulator/exec/endless_wait.hpp"
#include "common/emulator/exec/text.hpp"

namespace ladder::emulator {

namespace {

const Block& block_of(const Group& group) {
  return group.wait == Wait::barrier ? *group.at : group.frame->blocks[group.block];
}

// Groups of several warps at one place, in one state.
struct Crowd {
  const Warp* warp;  // of the first
  const Group* first;
  int threads = 0, warps = 0;
};

std::vector<Crowd> crowds(const ThreadBlock& block) {
  std::vector<Crowd> list;
  for (const auto& warp : block.warps()) {
    for (const Group& group : warp->groups) {
      const auto known = std::find_if(list.begin(), list.end(), [&](const Crowd& crowd) {
        return crowd.first->wait == group.wait && instruction_of(*crowd.first) &&
               instruction_of(*crowd.first) == instruction_of(group) &&
               group.wait != Wait::members;  // each warp misses lanes of its own
      });
      Crowd& crowd = known == list.end() ? list.emplace_back(Crowd{warp.get(), &group}) : *known;
      crowd.threads += std::popcount(group.mask);
      ++crowd.warps;
    }
  }
  return list;
}

// What a group waits for.
std::string wanted_by(const Crowd& crowd) {
  const Group& group = *crowd.first;
  const Block& at = block_of(group);
  if (group.wait == Wait::barrier) {
    return at.barrier_count == no_row ? ", for all threads of the block"
                                      : ", for a number of threads that do not come";
  }
  std::uint32_t members = 0;
  const auto* masks = reinterpret_cast<const std::uint32_t*>(group.frame->rows + at.members);
  for (std::uint32_t left = group.mask; left != 0; left &= left - 1) {
    members |= masks[std::countr_zero(left)];
  }
  return ", for " + lanes_text(members & crowd.warp->live() & ~group.mask);
}

std::string line(const Crowd& crowd, const WaitAudit* audit) {
  const Group& group = *crowd.first;
  const bool waits = group.wait != Wait::none;
  std::string text = waits ? "waiting: " : audit == nullptr ? "running: " : "spinning: ";
  text += std::to_string(crowd.threads) + (crowd.threads == 1 ? " thread" : " threads");
  text += crowd.warps == 1 ? " of warp " + std::to_string(crowd.warp->index)
                           : " of " + std::to_string(crowd.warps) + " warps";
  text += " from thread " +
          thread_text(crowd.warp->launch, crowd.warp->thread_of(std::countr_zero(group.mask)));
  const ptx::Instruction* at = instruction_of(group);
  std::string polled;
  if (!waits && audit != nullptr) {
    polled = audit->polled_place(*crowd.warp, group.mask);
    if (const auto* polling = audit->polling_instruction(*crowd.warp, group.mask)) at = polling;
  }
  if (at != nullptr) {
    const std::string where = place(*group.frame->function, *at);
    text += " at " + (where.empty() ? "" : where + ", ") + at->opcode;
  }
  if (!polled.empty()) text += ", on " + polled;
  return waits ? text + wanted_by(crowd) : text;
}

}  // namespace

const ptx::Instruction* first_source(const Block& block) {
  for (const Inst* inst = block.first; inst != block.last; ++inst) {
    if (inst->source != nullptr) return inst->source;
  }
  return block.end_source;
}

const ptx::Instruction* instruction_of(const Group& group) {
  const Block& at = block_of(group);
  return group.wait == Wait::barrier ? at.end_source : first_source(at);
}

std::string who_is_where(const ThreadBlock& block, const WaitAudit* audit) {
  constexpr std::size_t most = 6;
  const std::vector<Crowd> list = crowds(block);
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) {
    text += (i == 0 ? "" : "\n  ") + line(list[i], audit);
  }
  if (list.size() > most)
    text += "\n  and at " + std::to_string(list.size() - most) + " more places";
  return text;
}

bool anyone_waits(const ThreadBlock& block) {
  return std::any_of(block.warps().begin(), block.warps().end(), [](const auto& warp) {
    return std::any_of(warp->groups.begin(), warp->groups.end(),
                       [](const Group& group) { return group.wait != Wait::none; });
  });
}

}  // namespace ladder::emulator
