// For every register: the pointer parameters that its value may have been computed from. A 64-bit
// value out of memory may be any pointer; what is narrower is taken for a number, and pointers are
// not looked for in what a program writes beside the object that it has a pointer to.
#include "common/emulator/exec/written_parameters.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/emulator/exec/builtins.hpp"
#include "common/emulator/exec/function_lowering.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;
using Origins = std::uint64_t;  // a bit for each pointer

constexpr Origins any = Origins{1} << 63;
constexpr std::size_t most_pointers = 63;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_wide(const Opcode& opcode) {
  return is_one_of(opcode.last(),
                   std::array<std::string_view, 5>{"u64", "s64", "b64", "f64", "b128"});
}

const ptx::Variable* find_variable(const std::vector<ptx::Variable>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const ptx::Variable& known) { return known.name == name; });
  return found == list.end() ? nullptr : &*found;
}

class Search {
 public:
  Search(const ptx::Module& module, const ptx::Function& kernel,
         const std::vector<std::size_t>& offsets)
      : module_(module), kernel_(kernel), offsets_(offsets), origins_(kernel.registers.size()) {
    for (const ptx::Instruction& instruction : kernel.body)
      opcodes_.emplace_back(instruction.opcode);
  }

  WrittenParameters run() {
    do {
      changed_ = false;
      for (const ptx::Instruction& instruction : kernel_.body) follow(instruction);
    } while (changed_);
    Origins written = 0;
    for (const ptx::Instruction& instruction : kernel_.body) written |= written_by(instruction);
    WrittenParameters result;
    result.anything = (written & any) != 0;
    for (std::size_t p = 0; p < pointers_.size(); ++p) {
      if (((written >> p) & 1) != 0) result.offsets.push_back(pointers_[p]);
    }
    return result;
  }

 private:
  Origins bit_of(std::uint64_t pointer) {
    const auto found = std::find(pointers_.begin(), pointers_.end(), pointer);
    const auto number = static_cast<std::size_t>(found - pointers_.begin());
    if (number >= most_pointers) return any;
    if (found == pointers_.end()) pointers_.push_back(pointer);
    return Origins{1} << number;
  }

  Origins of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) {
      return origins_[static_cast<std::size_t>(operand.index)];
    }
    if (operand.kind == Operand::Kind::variable) return of_variable(operand.name);
    Origins all = 0;
    for (const Operand& element : operand.elements) all |= of(element);
    return all;
  }

  // Variables of the module in global memory can be reached by other kernels' pointers as well.
  Origins of_variable(std::string_view name) const {
    const ptx::Variable* variable = find_variable(kernel_.variables, name);
    if (variable == nullptr) variable = find_variable(module_.variables, name);
    const bool global = variable != nullptr && (variable->space == ptx::Space::global ||
                                                variable->space == ptx::Space::constant);
    return global ? any : 0;
  }

  Origins of_load(const ptx::Instruction& load) {
    const Opcode& opcode = opcode_of(load);
    if (!is_wide(opcode)) return 0;
    if (!opcode.has("param") || load.operands.size() < 2) return any;
    const Operand& from = load.operands[1];
    if (from.elements.empty() || from.elements[0].kind != Operand::Kind::variable) return any;
    const ptx::Variable* parameter = find_variable(kernel_.parameters, from.elements[0].name);
    if (parameter == nullptr || load.operands[0].kind != Operand::Kind::reg) return any;
    const auto number = static_cast<std::size_t>(parameter - kernel_.parameters.data());
    const std::int64_t inside = from.offset + from.elements[0].offset;
    return bit_of(offsets_.at(number) + static_cast<std::uint64_t>(inside));
  }

  Origins of_result(const ptx::Instruction& instruction) {
    const Opcode& opcode = opcode_of(instruction);
    const std::string_view head = opcode.head();
    if (head == "ld" || head == "ldu") return of_load(instruction);
    if (head == "atom") return is_wide(opcode) ? any : 0;
    const auto& operands = instruction.operands;
    const bool packs = head == "mov" && is_wide(opcode) && operands.size() > 1 &&
                       operands[1].kind == Operand::Kind::vector;
    if (packs) return any;
    Origins all = 0;
    for (std::size_t i = 1; i < operands.size(); ++i) all |= of(operands[i]);
    return all;
  }

  void follow(const ptx::Instruction& instruction) {
    if (!instruction.operands.empty()) give(instruction.operands[0], of_result(instruction));
  }

  void give(const Operand& to, Origins origins) {
    if (to.kind == Operand::Kind::reg) {
      Origins& now = origins_[static_cast<std::size_t>(to.index)];
      changed_ = changed_ || (origins & ~now) != 0;
      now |= origins;
    } else if (to.kind == Operand::Kind::vector || to.kind == Operand::Kind::pair) {
      for (const Operand& element : to.elements) give(element, origins);
    }
  }

  Origins written_by(const ptx::Instruction& instruction) const {
    const Opcode& opcode = opcode_of(instruction);
    const std::string_view head = opcode.head();
    const auto& operands = instruction.operands;
    if (head == "call") {
      const bool builtin = operands.size() > 1 && operands[1].kind == Operand::Kind::function &&
                           find_builtin(operands[1].name) != Builtin::none;
      return builtin ? 0 : any;
    }
    constexpr std::array<std::string_view, 5> only_read = {"ld", "ldu", "ldmatrix", "prefetch",
                                                           "prefetchu"};
    if (is_one_of(head, only_read) || opcode.has("load")) return 0;
    const bool copies = head == "cp";
    if (!copies && (opcode.has("shared") || opcode.has("local") || opcode.has("param"))) return 0;
    const auto address = std::find_if(operands.begin(), operands.end(), [](const Operand& operand) {
      return operand.kind == Operand::Kind::address;
    });
    return address == operands.end() ? 0 : of(*address);
  }

  const Opcode& opcode_of(const ptx::Instruction& instruction) const {
    return opcodes_[static_cast<std::size_t>(&instruction - kernel_.body.data())];
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const std::vector<std::size_t>& offsets_;
  std::vector<Opcode> opcodes_;          // of the kernel's body
  std::vector<Origins> origins_;         // by register
  std::vector<std::uint64_t> pointers_;  // by bit: where in the parameters
  bool changed_ = false;
};

}  // namespace

WrittenParameters find_written_parameters(const ptx::Module& module, const ptx::Function& kernel,
                                          const std::vector<std::size_t>& offsets) {
  return Search(module, kernel, offsets).run();
}

}  // namespace ladder::emulator
