#include "common/emulator/exec/shared_origins.hpp"

#include <algorithm>

namespace ladder::emulator {

namespace {

using ptx::Operand;

// Whether the result of an instruction is computed from its operands. What is read from memory, or
// returned by a function, may be any address.
bool computes(std::string_view opcode) {
  const std::string_view head = opcode.substr(0, opcode.find('.'));
  for (const std::string_view other : {"ld", "ldu", "ldmatrix", "wmma", "atom", "call", "st", "red",
                                       "cp", "bar", "barrier", "mbarrier", "bra", "brx"}) {
    if (head == other) return false;
  }
  return true;
}

template <class Visit>
void for_registers(const Operand& operand, const Visit& visit) {
  if (operand.kind == Operand::Kind::reg) visit(static_cast<std::size_t>(operand.index));
  for (const Operand& element : operand.elements) for_registers(element, visit);
}

}  // namespace

int SharedOrigins::join(int a, int b) {
  if (a == none || a == b) return b;
  return b == none ? a : several;
}

int SharedOrigins::origin(const Operand& operand) const {
  if (operand.kind == Operand::Kind::reg) {
    return of_register_[static_cast<std::size_t>(operand.index)];
  }
  if (operand.kind == Operand::Kind::variable) {
    const auto found = std::find(variables_.begin(), variables_.end(), operand.name);
    return found == variables_.end() ? none : static_cast<int>(found - variables_.begin());
  }
  int origin_of_all = none;
  for (const Operand& element : operand.elements) {
    origin_of_all = join(origin_of_all, origin(element));
  }
  return origin_of_all;
}

SharedOrigins::SharedOrigins(const ptx::Function& function, std::vector<std::string_view> variables)
    : variables_(std::move(variables)), of_register_(function.registers.size(), none) {
  if (variables_.empty()) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.body) {
      if (instruction.operands.empty() || !computes(instruction.opcode)) continue;
      int result = none;
      for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        result = join(result, origin(instruction.operands[i]));
      }
      if (result == none) continue;
      for_registers(instruction.operands[0], [&](std::size_t index) {
        if (function.registers[index].type == ptx::Type::pred) return;
        const int now = join(of_register_[index], result);
        changed = changed || now != of_register_[index];
        of_register_[index] = now;
      });
    }
  }
}

std::string_view SharedOrigins::of(const Operand& operand) const {
  const int found = origin(operand);
  return found < 0 ? std::string_view() : variables_[static_cast<std::size_t>(found)];
}

}  // namespace ladder::emulator
