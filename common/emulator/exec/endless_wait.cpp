#include "common/emulator/exec/endless_wait.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/operations.hpp"
#include "common/emulator/exec/shared_place.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

bool is_atomic(const Inst& inst) {
  return inst.source != nullptr &&
         (inst.source->opcode.starts_with("atom.") || inst.source->opcode.starts_with("red."));
}

// Reads that other threads' writes are waited for with.
bool polls(const Inst& inst) {
  if (inst.source == nullptr || inst.bytes == 0) return false;
  const Opcode opcode(inst.source->opcode);
  return is_atomic(inst) || opcode.has("volatile") || opcode.has("acquire") ||
         opcode.has("relaxed") || opcode.has("mmio");
}

bool reads_clock(const ptx::Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const ptx::Operand& operand) {
                       return operand.kind == ptx::Operand::Kind::special &&
                              (operand.name.find("clock") != std::string::npos ||
                               operand.name.find("timer") != std::string::npos);
                     });
}

// Whether it changes nothing but registers; of atomic operations that is seen when they run.
bool may_stand_in_a_wait(const ptx::Instruction& instruction) {
  static constexpr std::string_view heads[] = {
      "ld",       "ldu",       "mov",      "cvta",      "cvt",   "atom",  "red",  "fence",
      "membar",   "shfl",      "vote",     "match",     "redux", "elect", "bar",  "activemask",
      "isspacep", "nanosleep", "prefetch", "prefetchu", "setp",  "set",   "selp", "slct",
      "addc",     "subc",      "madc",     "bra",       "brx",   "ret",   "exit"};
  const Opcode opcode(instruction.opcode);
  if (reads_clock(instruction)) return false;
  if (opcode.head() == "mbarrier") return opcode.has("test_wait") || opcode.has("try_wait");
  if (opcode.head() == "ld" && opcode.has("const")) return true;
  return std::find(std::begin(heads), std::end(heads), opcode.head()) != std::end(heads) ||
         find_operation(instruction.opcode) != nullptr;
}

std::uint32_t predicate(const std::byte* rows, std::uint32_t row) {
  std::uint32_t bits;
  std::memcpy(&bits, rows + row, sizeof bits);
  return bits;
}

// The lanes of `mask` that the guard lets through.
std::uint32_t acting(const Inst& inst, const std::byte* rows, std::uint32_t mask) {
  if (inst.guard == no_row) return mask;
  const std::uint32_t bits = predicate(rows, inst.guard);
  return mask & (inst.guard_negated ? ~bits : bits);
}

// The host may change its own memory at any time.
bool reads_device_memory_alone(const Inst& inst, const std::byte* rows, std::uint32_t mask,
                               const Warp& warp) {
  const auto space = static_cast<ptx::Space>(inst.space);
  if (space == ptx::Space::shared || space == ptx::Space::local) return true;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t address = lane_address(rows, inst, std::countr_zero(left));
    const std::uint64_t window = address & window_mask;
    const bool own =
        space == ptx::Space::generic && (window == shared_window || window == local_window);
    if (!own && !warp.launch.memory->reserved(address)) return false;
  }
  return true;
}

}  // namespace

bool WaitAudit::only_waits(const Block& at) {
  Kind& kind = kinds_[&at];
  if (kind == Kind::unknown) {
    const bool waits = std::all_of(at.first, at.last, [](const Inst& inst) {
      return inst.source == nullptr || may_stand_in_a_wait(*inst.source);
    });
    kind = waits ? Kind::waits : Kind::acts;
  }
  return kind == Kind::waits;
}

void WaitAudit::run(const Block& at, std::byte* rows, Warp& warp, std::uint32_t mask) {
  disturbed_ = disturbed_ || !only_waits(at);
  for (const Inst* inst = at.first; inst != at.last; ++inst) {
    const std::uint32_t lanes_here = acting(*inst, rows, mask);
    if (polls(*inst)) {
      for (std::uint32_t left = lanes_here; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        polled_[{&warp, lane}] = {inst->source, static_cast<ptx::Space>(inst->space),
                                  lane_address(rows, *inst, lane), inst->bytes};
      }
    }
    if (inst->bytes != 0 && !reads_device_memory_alone(*inst, rows, lanes_here, warp))
      disturbed_ = true;
    const std::uint32_t before = warp.polls;
    (mask == all_lanes ? inst->all : inst->some)(rows, *inst, warp, mask);
    // Each lane whose operation leaves memory as it is counts as a poll.
    const auto unchanged = static_cast<int>(warp.polls - before);
    if (is_atomic(*inst) && inst->bytes != 0 && unchanged != std::popcount(lanes_here))
      disturbed_ = true;
  }
  // What ends the block, other than a branch.
  const bool branches =
      at.end == End::fall || at.end == End::branch || at.end == End::branch_indexed;
  if (!branches && (mask & (predicate(rows, at.guard_row) ^ at.guard_flip)) != 0) disturbed_ = true;
}

const WaitAudit::Polled* WaitAudit::polled_by(const Warp& warp, std::uint32_t mask) const {
  const auto found = polled_.find({&warp, std::countr_zero(mask)});
  return found == polled_.end() ? nullptr : &found->second;
}

const ptx::Instruction* WaitAudit::polling_instruction(const Warp& warp, std::uint32_t mask) const {
  const Polled* polled = polled_by(warp, mask);
  return polled == nullptr ? nullptr : polled->instruction;
}

std::string WaitAudit::polled_place(const Warp& warp, std::uint32_t mask) const {
  const Polled* polled = polled_by(warp, mask);
  if (polled == nullptr) return "";
  const std::uint64_t window = polled->address & window_mask;
  const bool generic = polled->space == ptx::Space::generic;
  if (polled->space == ptx::Space::shared || (generic && window == shared_window)) {
    const std::uint64_t address = polled->address & ~window_mask;
    return "shared address " + hex(address) + ": " +
           shared_place(warp.launch, address, polled->bytes);
  }
  if (polled->space == ptx::Space::local || (generic && window == local_window)) return "";
  return "address " + warp.launch.memory->describe(polled->address, polled->bytes);
}

std::uint64_t state_of(const ThreadBlock& block) {
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  const auto add = [&](std::uint64_t word) {
    state = std::rotl((state ^ word) * 0xff51afd7ed558ccdu, 29);
  };
  for (const auto& warp : block.warps()) {
    add(warp->groups.size());
    add(warp->copies.size());
    for (const Group& group : warp->groups) {
      add(std::uint64_t{group.mask} << 32 | group.block);
      add(static_cast<std::uint64_t>(group.wait) << 16 | (group.yielded ? 2u : 0u) |
          (group.passes ? 1u : 0u));
      add(reinterpret_cast<std::uintptr_t>(group.frame));
    }
    warp->visit_frames([&](const Frame& frame) {
      for (std::size_t at = 0; at + 8 <= frame.function->frame_bytes; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, frame.rows + at, sizeof word);
        add(word);
      }
    });
  }
  return state;
}

}  // namespace ladder::emulator
