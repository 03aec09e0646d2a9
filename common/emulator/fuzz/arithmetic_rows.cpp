// Every row of ops.def and every cvt, from the references' table.
#include <algorithm>

#include "common/emulator/fuzz/rows.hpp"
#include "common/emulator/opcodes/opcode_kernel.hpp"

namespace ladder::emulator::fuzz {
namespace {

const opcodes::ReferenceTable& references() {
  static const opcodes::ReferenceTable table = [] {
    opcodes::ReferenceTable made;
    opcodes::add_integer_references(made);
    opcodes::add_bit_references(made);
    opcodes::add_float_references(made);
    opcodes::add_approximate_references(made);
    opcodes::add_half_references(made);
    opcodes::add_compare_references(made);
    opcodes::add_conversion_references(made);
    return made;
  }();
  return table;
}

// "": a register is wanted. Instructions on packed parts take no constants.
std::string immediate(Scribe& scribe, const std::string& opcode, Operand kind) {
  if (opcode.find("x2") != std::string::npos || opcode[0] == 'v') return "";
  switch (kind) {
    case Operand::b16:
      return std::to_string(scribe.below(0x8000));
    case Operand::b32:
      if (opcode.rfind("bf", 0) == 0) return std::to_string(scribe.below(256));
      return scribe.one_in(2) ? std::to_string(scribe.below(40))
                              : std::to_string(static_cast<u32>(scribe.random()));
    case Operand::b64:
      return scribe.one_in(2) ? std::to_string(scribe.below(70)) : std::to_string(scribe.random());
    default:
      return "";
  }
}

// What PTX leaves open must not decide: no division by zero, no bit number beyond a word.
std::string defined(Scribe& scribe, const std::string& opcode, std::size_t number,
                    const std::string& name, Operand kind, std::string& before) {
  const bool divides = opcode.rfind("div.", 0) == 0 || opcode.rfind("rem.", 0) == 0;
  const bool integer = kind == Operand::b16 || kind == Operand::b32 || kind == Operand::b64;
  const std::string width = kind == Operand::b16 ? "16" : kind == Operand::b32 ? "32" : "64";
  if (divides && integer && number == 1) {
    // Odd, and not -1.
    const std::string safe = scribe.temporary(kind);
    before += "or.b" + width + " " + safe + ", " + name + ", 1; and.b" + width + " " + safe + ", " +
              safe + ", 0x7ffd;\n";
    return safe;
  }
  if (opcode == "fns.b32" && number == 1) {
    const std::string safe = scribe.temporary(kind);
    before += "and.b32 " + safe + ", " + name + ", 31;\n";
    return safe;
  }
  return name;
}

bool begins(const std::string& opcode, std::initializer_list<const char*> heads) {
  for (const char* head : heads)
    if (opcode.rfind(head, 0) == 0) return true;
  return false;
}

// ptxas makes a copy of min(x, x), NaN or not, also where the second x is a copy (see distinct),
// and may forget the saturation of a sum of sums.
std::string source(Scribe& scribe, const std::string& opcode, Operand kind,
                   const std::vector<std::string>& others) {
  if (begins(opcode, {"add.sat.s32", "sub.sat.s32"})) return scribe.fresh_source(kind);
  std::string name = scribe.source(kind);
  while (begins(opcode, {"min.", "max."}) &&
         std::find(others.begin(), others.end(), name) != others.end())
    name = scribe.source(kind);
  return name;
}

// A float that ptxas cannot know to be that of another register.
std::string distinct(Scribe& scribe, Operand kind, const std::string& name, std::string& before) {
  const bool pair = kind == Operand::f16x2 || kind == Operand::bf16x2;
  if (!pair && kind != Operand::f16 && kind != Operand::bf16 && kind != Operand::f32) return name;
  const std::string copy = scribe.temporary(kind);
  before += pair ? "mov.b32 " + copy + ", " + name + "; " + scribe.hidden(Operand::b32, copy)
                 : scribe.laundered(kind, name, copy);
  return copy;
}

std::string sources(Scribe& scribe, const Reference& reference, std::string& before,
                    std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < reference.sources.size(); ++i) {
    const Operand kind = reference.sources[i];
    const bool last = i + 1 == reference.sources.size();
    std::string name;
    if (last && !reference.constants.empty()) {
      name = std::to_string(
          reference.constants[scribe.below(static_cast<unsigned>(reference.constants.size()))]);
    } else if (last && i > 0 && scribe.one_in(5)) {
      name = immediate(scribe, reference.opcode, kind);
    }
    if (name.empty()) name = source(scribe, reference.opcode, kind, names);
    if (last && begins(reference.opcode, {"min.", "max."}))
      name = distinct(scribe, kind, name, before);
    if (reference.constants.empty())
      name = defined(scribe, reference.opcode, i, name, kind, before);
    names.push_back(name);
    list += ", " + name;
  }
  return list;
}

// Whether it makes an integer of a float or of 64 bits.
bool narrows_to_integer(const std::string& opcode) {
  if (!begins(opcode, {"cvt."})) return false;
  const std::size_t from = opcode.rfind('.') + 1, to = opcode.rfind('.', from - 2) + 1;
  if (opcode[to] != 'u' && opcode[to] != 's') return false;
  return (opcode[from] != 'u' && opcode[from] != 's') || opcode.substr(from + 1) == "64";
}

std::string exact(Scribe& scribe, const Reference& reference) {
  std::string before;
  std::vector<std::string> names;
  const std::string list = sources(scribe, reference, before, names);
  const std::string& opcode = reference.opcode;
  const Operand kind = reference.result;
  const std::string to = scribe.target(kind);
  std::string guard;
  // ptxas (driver for CUDA 13.0) does not guard testp; and of a guarded mad.hi of 16 bits that adds
  // to its own result in a loop which it unrolls, it keeps one.
  if (scribe.one_in(6) && !begins(opcode, {"testp", "mad.hi.s16", "mad.hi.u16"}))
    guard = std::string(scribe.one_in(2) ? "@!" : "@") + scribe.source(Operand::predicate) + " ";
  const bool nan_varies = begins(opcode, {"neg.", "abs."}) ||
                          (kind == Operand::f64 && begins(opcode, {"add.", "sub.", "mul.", "fma.",
                                                                   "mad.", "min.", "max."}));
  const std::string nan = nan_varies ? scribe.one_nan(kind, to) : "";
  if (kind != Operand::f16 && kind != Operand::bf16) {
    const std::string hide = narrows_to_integer(opcode) ? scribe.hidden(kind, to) : "";
    return before + guard + opcode + " " + to + list + ";\n" + hide + nan + scribe.folded(kind, to);
  }
  const std::string half = scribe.temporary(kind);
  const std::string kept = guard.empty() ? "" : "mov.b16 " + half + ", " + to + ";\n";
  return before + kept + guard + opcode + " " + half + list + ";\n" +
         scribe.laundered(kind, half, to) + nan + scribe.folded(kind, to);
}

// A value into a word of this thread's own.
std::string kept(Scribe& scribe, Operand kind, const std::string& name, unsigned word) {
  const std::string address = "[%words+" + std::to_string(8 * word) + "]";
  switch (kind) {
    case Operand::f64:
    case Operand::b64:
      return "st.global.b64 " + address + ", " + name + ";\n";
    case Operand::f32:
    case Operand::b32:
    case Operand::f16x2:
    case Operand::bf16x2:
      return "st.global.b32 " + address + ", " + name + ";\n";
    default: {
      const std::string wide = scribe.temporary(Operand::b64);
      return "cvt.u64.u16 " + wide + ", " + name + "; st.global.b64 " + address + ", " + wide +
             ";\n";
    }
  }
}

std::string approximate(Scribe& scribe, const Reference& reference) {
  Program& program = scribe.program;
  const auto count = static_cast<unsigned>(reference.sources.size());
  std::string before;
  std::string list, text;
  const unsigned first = program.words;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = scribe.source(reference.sources[i]);
    list += ", " + name;
    text += kept(scribe, reference.sources[i], name, first + i);
  }
  const std::string to = scribe.temporary(reference.result);
  text += reference.opcode + " " + to + list + ";\n" +
          kept(scribe, reference.result, to, first + count);
  program.approximations.push_back({&reference, first});
  program.words += count + 1;
  return text;
}

// The kernels are for sm_90, where tf32 saturates with .rna alone.
bool is_of_a_later_architecture(const std::string& opcode) {
  return begins(opcode, {"cvt.rn.satfinite", "cvt.rz.satfinite"}) &&
         opcode.find(".tf32.") != std::string::npos;
}

}  // namespace

void add_arithmetic_rows(std::vector<Row>& rows) {
  for (const Reference& reference : references().rows()) {
    if (is_of_a_later_architecture(reference.opcode)) continue;
    const bool is_approximate = static_cast<bool>(reference.close_enough);
    rows.push_back({reference.opcode, is_approximate ? Place::kernel : Place::anywhere,
                    [&reference, is_approximate](Scribe& scribe) {
                      return is_approximate ? approximate(scribe, reference)
                                            : exact(scribe, reference);
                    }});
  }
}

}  // namespace ladder::emulator::fuzz
