// mbarrier.*, cp.async.mbarrier.arrive, cp.async.bulk. Semantics and scope (.release, .cta,
// .cluster) change nothing here: a block runs in one host thread.
#include "common/emulator/exec/async_copy.hpp"
#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/mbarrier.hpp"

namespace ladder::emulator {

namespace {

// "arrive.expect_tx" of mbarrier.arrive.expect_tx.release.cta.shared::cta.b64.
std::string shape_of(const Opcode& opcode) {
  std::string shape(opcode.parts.at(1));
  for (const std::string_view part : {"noComplete", "expect_tx", "parity"}) {
    if (opcode.parts[1] != part && opcode.has(part)) shape.append(".").append(part);
  }
  return shape;
}

}  // namespace

bool FunctionLowering::lower_mbarrier(const Instruction& instruction, const Opcode& opcode) {
  if (opcode.head() != "mbarrier" || opcode.parts.size() < 2) return false;
  const auto& operands = instruction.operands;
  Inst inst;
  if (opcode.has("pending_count")) {
    inst.all = inst.some = &pending_count;
    inst.s[0] = source(operands.at(1), RowKind::wide);
    inst.d = destination(operands[0], RowKind::word);
    finish_destination(operands[0], append(inst).d, "u32");
    return true;
  }
  const std::string shape = shape_of(opcode);
  inst.all = inst.some = mbarrier_handler(shape);
  if (inst.all == nullptr) return false;
  const bool waits = opcode.has("test_wait") || opcode.has("try_wait");
  const bool returns = waits || opcode.has("arrive") || opcode.has("arrive_drop");
  const RowKind kind = waits ? RowKind::predicate : RowKind::wide;
  std::size_t next = returns ? 1 : 0;
  set_address(inst, operands.at(next++), space_of(instruction, opcode));
  if (waits) {
    // A third source, how long to sleep at most, is advice.
    inst.s[1] = source(operands.at(next), opcode.has("parity") ? RowKind::word : RowKind::wide);
  } else if (next < operands.size()) {
    inst.s[1] = source(operands[next], RowKind::word);
  }
  if (returns && (waits || operands[0].kind != Operand::Kind::sink)) {
    inst.d = destination(operands[0], kind);
  }
  append(inst);
  if (inst.d != no_row) finish_destination(operands[0], inst.d, "u64");
  return true;
}

// cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [object]
bool FunctionLowering::lower_copy_arrival(const Instruction& instruction, const Opcode& opcode) {
  Inst inst;
  inst.all = inst.some =
      opcode.has("noinc") ? &arrive_after_copies<true> : &arrive_after_copies<false>;
  set_address(inst, instruction.operands.at(0), space_of(instruction, opcode));
  append(inst);
  return true;
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [object]
bool FunctionLowering::lower_bulk_copy(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  const bool known = opcode.parts.size() >= 6 && opcode.parts[3].rfind("shared::", 0) == 0 &&
                     opcode.parts[4] == "global" &&
                     opcode.parts[5] == "mbarrier::complete_tx::bytes" &&
                     !opcode.has("multicast::cluster") && operands.size() >= 4;
  if (!known) return false;
  Inst inst;
  inst.all = inst.some = &start_bulk_copy;
  const std::uint32_t to = whole_address(operands[0], ptx::Space::shared);
  const std::uint32_t from = whole_address(operands[1], ptx::Space::global);
  inst.s[1] = to;
  inst.s[2] = from;
  inst.s[3] = source(operands[2], RowKind::word);
  set_address(inst, operands[3], ptx::Space::shared);
  append(inst);
  return true;
}

}  // namespace ladder::emulator
