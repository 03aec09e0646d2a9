// Places and instructions as text, for messages.
#include "common/emulator/exec/own_place.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;

std::string offset_text(std::int64_t offset) {
  if (offset == 0) return "";
  return offset < 0 ? std::to_string(offset) : std::string("+") + std::to_string(offset);
}

std::string joined(const ptx::Function& function, const std::vector<Operand>& operands);

std::string text_of(const ptx::Function& function, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      return (operand.negated ? "!" : "") +
             function.registers.at(static_cast<std::size_t>(operand.index)).name;
    case Operand::Kind::immediate:
      return std::to_string(static_cast<std::int64_t>(operand.bits));
    case Operand::Kind::immediate_f32:
    case Operand::Kind::immediate_f64:
      return (operand.kind == Operand::Kind::immediate_f32 ? "0f" : "0d") +
             hex(operand.bits).substr(2);
    case Operand::Kind::address:
      return std::string("[") +
             (operand.elements.empty() ? std::string() : text_of(function, operand.elements[0])) +
             offset_text(operand.offset) + "]";
    case Operand::Kind::vector:
      return std::string("{") + joined(function, operand.elements) + "}";
    case Operand::Kind::list:
      return std::string("(") + joined(function, operand.elements) + ")";
    case Operand::Kind::pair:
      return text_of(function, operand.elements.at(0)) + "|" +
             text_of(function, operand.elements.at(1));
    case Operand::Kind::sink:
      return "_";
    case Operand::Kind::label:
      for (const ptx::Label& label : function.labels) {
        if (label.instruction == operand.index) return label.name;
      }
      return "?";
    default:
      return operand.name + offset_text(operand.offset);
  }
}

std::string joined(const ptx::Function& function, const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) {
    if (!text.empty()) text += ", ";
    text += text_of(function, operand);
  }
  return text;
}

bool of_toolkit(const std::string& path) {
  return path.find("cuda") != std::string::npos && path.find("/include/") != std::string::npos;
}

std::string place_text(const std::string& path, int line) {
  return path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
}

}  // namespace

std::string text_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  std::string text;
  if (instruction.guard >= 0) {
    text += instruction.guard_negated ? "@!" : "@";
    text += function.registers.at(static_cast<std::size_t>(instruction.guard)).name + " ";
  }
  text += instruction.opcode;
  const std::string operands = joined(function, instruction.operands);
  return operands.empty() ? text : text + " " + operands;
}

std::pair<std::string, int> source_line(const Function& function,
                                        const ptx::Instruction& instruction) {
  const auto& files = function.module->source.files;
  const auto in_toolkit = [&](const ptx::SourceLocation& location) {
    return location.file >= 0 && static_cast<std::size_t>(location.file) < files.size() &&
           of_toolkit(files[static_cast<std::size_t>(location.file)]);
  };
  // An inlined function of the toolkit: the learner's line is the one that calls it.
  ptx::SourceLocation at = instruction.source;
  const auto& sites = function.source->inline_sites;
  while (in_toolkit(at) && at.inlined_at >= 0 &&
         static_cast<std::size_t>(at.inlined_at) < sites.size()) {
    at = sites[static_cast<std::size_t>(at.inlined_at)].call;
  }
  if (at.line <= 0 || at.file < 0 || static_cast<std::size_t>(at.file) >= files.size())
    return {"", 0};
  return {files[static_cast<std::size_t>(at.file)], at.line};
}

std::string place(const Function& function, const ptx::Instruction& instruction) {
  const auto [path, line] = source_line(function, instruction);
  if (path.empty()) return "";
  return place_text(path, line);
}

std::string own_place(const Frame& frame, const ptx::Instruction& instruction) {
  const ptx::Instruction* at = &instruction;
  for (const Frame* inside = &frame;; inside = inside->parent) {
    const auto [path, line] = source_line(*inside->function, *at);
    if (!path.empty() && !of_toolkit(path)) return place_text(path, line);
    if (inside->parent == nullptr) return "";
    at = inside->call->source;
  }
}

}  // namespace ladder::emulator
