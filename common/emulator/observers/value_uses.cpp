#include "common/emulator/observers/value_uses.hpp"

#include <algorithm>
#include <string_view>

namespace ladder::emulator {

namespace {

using ptx::Operand;

bool mentions(const Operand& operand, int reg) {
  if (operand.kind == Operand::Kind::reg) return operand.index == reg;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return mentions(element, reg); });
}

// What one instruction does with a register: nothing is `never`.
ValueUse use_in(const ptx::Instruction& instruction, int reg) {
  const std::string_view opcode = instruction.opcode;
  const auto& operands = instruction.operands;
  if (instruction.guard == reg) return ValueUse::used;
  const bool stores = opcode.starts_with("st.") && opcode.find(".param") == opcode.npos;
  ValueUse use = ValueUse::never;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!mentions(operands[i], reg)) continue;
    const bool writes = i == 0 && !stores && operands[i].kind != Operand::Kind::address;
    if (writes) continue;
    if (opcode.starts_with("selp") && i < 3) {
      use = std::max(use, ValueUse::chosen);
    } else if (stores && i == 1) {
      use = std::max(use, ValueUse::only_moved);
    } else {
      return ValueUse::used;
    }
  }
  return use;
}

}  // namespace

ValueUse use_of_loaded(const ptx::Function& function, const ptx::Instruction& load, int element) {
  if (load.operands.empty()) return ValueUse::used;
  const Operand* to = &load.operands[0];
  if (to->kind == Operand::Kind::vector) {
    if (static_cast<std::size_t>(element) >= to->elements.size()) return ValueUse::used;
    to = &to->elements[static_cast<std::size_t>(element)];
  }
  if (to->kind == Operand::Kind::sink) return ValueUse::never;
  if (to->kind != Operand::Kind::reg) return ValueUse::used;
  ValueUse most = ValueUse::never;
  for (const ptx::Instruction& instruction : function.body) {
    most = std::max(most, use_in(instruction, to->index));
    if (most == ValueUse::used) break;
  }
  return most;
}

}  // namespace ladder::emulator
