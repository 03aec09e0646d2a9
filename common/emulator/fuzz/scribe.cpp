#include "common/emulator/fuzz/scribe.hpp"

#include "common/emulator/opcodes/opcode_kernel.hpp"

namespace ladder::emulator::fuzz {

const char* prefix_of(Operand kind) {
  return opcodes::text_of(kind).prefix;
}

std::string Scribe::source(Operand kind) {
  const unsigned count = kind == Operand::predicate ? predicate_pool : pool;
  return prefix_of(kind) + std::to_string(below(count));
}

std::string Scribe::target(Operand kind) {
  const unsigned count = kind == Operand::predicate ? predicate_pool : pool;
  return prefix_of(kind) + std::to_string(below(count / 2));
}

std::string Scribe::temporary(Operand kind) {
  return std::string("%t") + (prefix_of(kind) + 1) + std::to_string(temporaries_++);
}

std::string Scribe::folded(Operand kind, const std::string& name) {
  const std::string wide = temporary(Operand::b64);
  std::string text;
  switch (kind) {
    case Operand::predicate:
      text = "selp.b64 " + wide + ", 1, 0, " + name + ";";
      break;
    case Operand::b16:
    case Operand::f16:
    case Operand::bf16:
      text = "cvt.u64.u16 " + wide + ", " + name + ";";
      break;
    case Operand::f32: {
      const std::string word = temporary(Operand::b32);
      text = "mov.b32 " + word + ", " + name + "; cvt.u64.u32 " + wide + ", " + word + ";";
      break;
    }
    case Operand::b64:
    case Operand::f64:
      text = "mov.b64 " + wide + ", " + name + ";";
      break;
    default:
      text = "cvt.u64.u32 " + wide + ", " + name + ";";
  }
  return text + " mad.lo.u64 %acc, %acc, %key, " + wide + ";\n";
}

}  // namespace ladder::emulator::fuzz
