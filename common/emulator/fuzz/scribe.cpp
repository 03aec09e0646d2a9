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

std::string Scribe::fresh_source(Operand kind) {
  const unsigned count = kind == Operand::predicate ? predicate_pool : pool;
  return prefix_of(kind) + std::to_string(count / 2 + below(count - count / 2));
}

std::string Scribe::hidden(Operand kind, const std::string& name) {
  if (kind == Operand::b32) return "xor.b32 " + name + ", " + name + ", %zero;\n";
  if (kind == Operand::b16) return laundered(kind, name, name);
  const std::string zero = temporary(Operand::b64);
  return "cvt.u64.u32 " + zero + ", %zero; xor.b64 " + name + ", " + name + ", " + zero + ";\n";
}

std::string Scribe::laundered(Operand kind, const std::string& from, const std::string& to) {
  const std::string word = temporary(Operand::b32);
  const std::string hide = hidden(Operand::b32, word);
  if (kind == Operand::f32)
    return "mov.b32 " + word + ", " + from + "; " + hide + "mov.b32 " + to + ", " + word + ";\n";
  return "cvt.u32.u16 " + word + ", " + from + "; " + hide + "cvt.u16.u32 " + to + ", " + word +
         ";\n";
}

std::string Scribe::one_nan(Operand kind, const std::string& name) {
  const std::string nan = temporary(Operand::predicate);
  const auto replaced = [&](const std::string& type, const std::string& move,
                            const std::string& value) {
    return "setp.nan." + type + " " + nan + ", " + name + ", " + name + "; @" + nan + " mov." +
           move + " " + name + ", " + value + ";\n";
  };
  switch (kind) {
    case Operand::f64:
      return replaced("f64", "f64", "0d7FF8000000000000");
    case Operand::f32:
      return replaced("f32", "f32", "0f7FFFFFFF");
    case Operand::f16:
      return replaced("f16", "b16", "0x7fff");
    case Operand::bf16:
      return replaced("bf16", "b16", "0x7fff");
    case Operand::f16x2:
    case Operand::bf16x2: {
      const std::string low = temporary(Operand::b16), high = temporary(Operand::b16);
      const std::string other = temporary(Operand::predicate);
      return std::string("setp.nan.") + (kind == Operand::f16x2 ? "f16x2 " : "bf16x2 ") + nan +
             "|" + other + ", " + name + ", " + name + "; mov.b32 {" + low + ", " + high + "}, " +
             name + "; @" + nan + " mov.b16 " + low + ", 0x7fff; @" + other + " mov.b16 " + high +
             ", 0x7fff; mov.b32 " + name + ", {" + low + ", " + high + "};\n";
    }
    default:
      return "";
  }
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
