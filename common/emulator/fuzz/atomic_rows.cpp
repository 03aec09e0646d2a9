// atom and red: on memory of the thread's own, where the old value is known, and on words that all
// threads update, where the order must not matter.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

struct Operation {
  const char* text;  // as written behind the space
  unsigned bytes;
  Operand kind;
  bool any_order = false;  // may be applied in any order
  bool reduces = true;     // red has it
};
const Operation operations[] = {
    {"add.u32", 4, Operand::b32, true},
    {"add.s32", 4, Operand::b32, true},
    {"add.u64", 8, Operand::b64, true},
    {"add.f32", 4, Operand::f32},
    {"add.f64", 8, Operand::f64},
    {"add.noftz.f16", 2, Operand::f16},
    {"add.noftz.bf16", 2, Operand::bf16},
    {"add.noftz.f16x2", 4, Operand::f16x2},
    {"add.noftz.bf16x2", 4, Operand::bf16x2},
    {"min.u32", 4, Operand::b32, true},
    {"min.s32", 4, Operand::b32, true},
    {"min.u64", 8, Operand::b64, true},
    {"min.s64", 8, Operand::b64, true},
    {"max.u32", 4, Operand::b32, true},
    {"max.s32", 4, Operand::b32, true},
    {"max.u64", 8, Operand::b64, true},
    {"max.s64", 8, Operand::b64, true},
    {"and.b32", 4, Operand::b32, true},
    {"and.b64", 8, Operand::b64, true},
    {"or.b32", 4, Operand::b32, true},
    {"or.b64", 8, Operand::b64, true},
    {"xor.b32", 4, Operand::b32, true},
    {"xor.b64", 8, Operand::b64, true},
    {"inc.u32", 4, Operand::b32},
    {"dec.u32", 4, Operand::b32},
    {"exch.b32", 4, Operand::b32, false, false},
    {"exch.b64", 8, Operand::b64, false, false},
    {"cas.b16", 2, Operand::b16, false, false},
    {"cas.b32", 4, Operand::b32, false, false},
    {"cas.b64", 8, Operand::b64, false, false},
};

struct Space {
  const char* name;
  std::vector<const char*> bases;
};
const Space spaces[] = {
    {".global", {"%own"}}, {".shared", {"%tile"}}, {"", {"%own", "%tile_generic"}}};
const char* const qualifiers[] = {"", "", ".relaxed.gpu", ".acq_rel.gpu", ".relaxed.cta"};

bool is_cas(const Operation& one) {
  return std::string(one.text).rfind("cas", 0) == 0;
}

std::string on_own(Scribe& s, const Space& space, const Operation& one, bool returns) {
  const std::string base = space.bases[s.below(static_cast<unsigned>(space.bases.size()))];
  const std::string where =
      "[" + base + "+" + std::to_string(s.below(64 / one.bytes) * one.bytes) + "]";
  std::string before, expected;
  if (is_cas(one)) {
    // Half of the time what is there.
    expected = s.source(one.kind);
    if (s.one_in(2)) {
      expected = s.temporary(one.kind);
      before = "ld" + std::string(space.name) + ".b" + std::to_string(8 * one.bytes) + " " +
               expected + ", " + where + ";\n";
    }
    expected = ", " + expected;
  }
  std::string after;
  if (one.kind == Operand::f64) {
    // A sum's NaN is that of either operand.
    const std::string sum = s.temporary(Operand::f64);
    after = "ld" + std::string(space.name) + ".f64 " + sum + ", " + where + "; " +
            s.one_nan(Operand::f64, sum) + "st" + space.name + ".f64 " + where + ", " + sum + ";\n";
  }
  const char* qualifier = s.any(qualifiers);
  const std::string tail = where + expected + ", " + s.source(one.kind) + ";\n";
  if (!returns) {
    const bool acquires = std::string(qualifier) == ".acq_rel.gpu";
    return before + "red" + (acquires ? ".release.gpu" : qualifier) + space.name + "." + one.text +
           " " + tail + after;
  }
  const std::string old = s.temporary(one.kind);
  return before + "atom" + qualifier + space.name + "." + one.text + " " + old + ", " + tail +
         s.folded(one.kind, old) + after;
}

// "": all shared words are taken.
std::string on_total(Scribe& s, bool global, const Operation& one, bool returns) {
  unsigned& used = global ? s.program.global_totals : s.program.shared_totals;
  if (used == totals) return "";
  const std::string at = std::to_string(8 * used++);
  const std::string where = global ? "[%grid_totals+" + at + "]" : "[block_totals+" + at + "]";
  const std::string head =
      std::string(returns ? "atom" : "red") + (global ? ".global." : ".shared.");
  return head + one.text + " " + (returns ? s.temporary(one.kind) + ", " : "") + where + ", " +
         s.source(one.kind) + ";\n";
}

}  // namespace

void add_atomic_rows(std::vector<Row>& rows) {
  for (const Operation& one : operations) {
    for (const bool returns : {true, false}) {
      if (!returns && !one.reduces) continue;
      const std::string head = returns ? "atom" : "red";
      for (const Space& space : spaces) {
        // Sometimes ptxas (driver for CUDA 13.0) uses the lower half of the address only.
        if (std::string(one.text) == "cas.b16" && space.name[0] == '\0') continue;
        rows.push_back(
            {head + space.name + "." + one.text, Place::kernel,
             [&one, &space, returns](Scribe& s) { return on_own(s, space, one, returns); }});
      }
      if (!one.any_order) continue;
      for (const bool global : {true, false}) {
        rows.push_back(
            {"all threads: " + head + (global ? ".global." : ".shared.") + one.text, Place::kernel,
             [&one, global, returns](Scribe& s) { return on_total(s, global, one, returns); }});
      }
    }
  }
}

}  // namespace ladder::emulator::fuzz
