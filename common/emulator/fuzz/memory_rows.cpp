// Loads and stores: every space, type and vector, into and out of memory of the thread's own.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

struct Type {
  const char* name;
  unsigned bytes;
  Operand kind;  // of the register
};
const Type types[] = {
    {"b8", 1, Operand::b16},  {"u8", 1, Operand::b16},  {"s8", 1, Operand::b16},
    {"b16", 2, Operand::b16}, {"u16", 2, Operand::b16}, {"s16", 2, Operand::b16},
    {"b32", 4, Operand::b32}, {"u32", 4, Operand::b32}, {"s32", 4, Operand::b32},
    {"f32", 4, Operand::f32}, {"b64", 8, Operand::b64}, {"u64", 8, Operand::b64},
    {"s64", 8, Operand::b64}, {"f64", 8, Operand::f64},
};

struct Space {
  const char* name;  // "": generic
  bool can_store;
  std::vector<const char*> bases;       // registers and variables to address from
  std::vector<const char*> qualifiers;  // between ld or st and the space, or behind it
};
const Space spaces[] = {
    {"global", true, {"%own"}, {"", "", ".volatile", ".relaxed.gpu", ".weak"}},
    {"shared", true, {"%tile"}, {"", "", ".volatile", ".relaxed.cta"}},
    {"local", true, {"%depot"}, {"", ""}},
    {"", true, {"%own", "%tile_generic", "%depot_generic"}, {"", ""}},
    {"const", false, {"$table"}, {""}},
    {"param", false, {"blob"}, {""}},
    {"global.nc", false, {"%mine", "$numbers"}, {""}},
    {"global.ca", false, {"%mine"}, {""}},
    {"global.cg", false, {"%mine"}, {""}},
};

std::string opcode(const char* head, const Space& space, unsigned vector, const Type& type,
                   const char* qualifier) {
  std::string text = head + std::string(qualifier);
  if (space.name[0] != '\0') text += std::string(".") + space.name;
  if (vector > 1) text += ".v" + std::to_string(vector);
  return text + "." + type.name;
}

std::string address(Scribe& s, const Space& space, unsigned bytes) {
  const std::string base = space.bases[s.below(static_cast<unsigned>(space.bases.size()))];
  const unsigned limit = 64;
  return "[" + base + "+" + std::to_string(s.below(limit / bytes) * bytes) + "]";
}

// Where ptxas (driver for CUDA 13.0) takes a register of 32 bits, of which it has loaded 8 or 16
// from a constant or an argument, for two packed halves, it makes the upper one from what lies
// behind in that memory, and not from the zeros or signs that the load extends to.
bool is_widened_anew(const Space& space, const Type& type, Operand kind) {
  const std::string name = space.name;
  return (name == "const" || name == "param") && type.bytes < 4 && kind != Operand::b16;
}

std::string load(Scribe& s, const Space& space, unsigned vector, const Type& type) {
  Operand kind = type.kind;
  // A register may be wider than what is loaded.
  if (vector == 1 && kind == Operand::b16 && s.one_in(3))
    kind = s.one_in(2) ? Operand::b32 : Operand::b64;
  if (vector == 1 && kind == Operand::b32 && s.one_in(4)) kind = Operand::b64;
  const char* qualifier = space.qualifiers[s.below(static_cast<unsigned>(space.qualifiers.size()))];
  std::string names, text;
  for (unsigned i = 0; i < vector; ++i) {
    const std::string name = vector == 1 ? s.target(kind) : s.temporary(kind);
    names += (i == 0 ? "" : ", ") + name;
    text += s.folded(kind, name);
  }
  if (vector > 1) names = "{" + names + "}";
  if (is_widened_anew(space, type, kind)) text = s.hidden(kind, names) + text;
  const std::string where = address(s, space, type.bytes * vector);
  return opcode("ld", space, vector, type, qualifier) + " " + names + ", " + where + ";\n" + text;
}

std::string store(Scribe& s, const Space& space, unsigned vector, const Type& type) {
  const char* qualifier = space.qualifiers[s.below(static_cast<unsigned>(space.qualifiers.size()))];
  std::string names;
  for (unsigned i = 0; i < vector; ++i) names += (i == 0 ? "" : ", ") + s.source(type.kind);
  if (vector > 1) names = "{" + names + "}";
  const std::string where = address(s, space, type.bytes * vector);
  return opcode("st", space, vector, type, qualifier) + " " + where + ", " + names + ";\n";
}

}  // namespace

void add_memory_rows(std::vector<Row>& rows) {
  for (const Space& space : spaces) {
    for (const Type& type : types) {
      for (const unsigned vector : {1u, 2u, 4u}) {
        const unsigned bytes = type.bytes * vector;
        // A kernel's argument lies at a multiple of 8.
        if (bytes > (space.bases[0] == std::string("blob") ? 8u : 16u)) continue;
        rows.push_back(
            {opcode("ld", space, vector, type, ""), Place::kernel,
             [&space, &type, vector](Scribe& s) { return load(s, space, vector, type); }});
        if (!space.can_store) continue;
        rows.push_back(
            {opcode("st", space, vector, type, ""), Place::kernel,
             [&space, &type, vector](Scribe& s) { return store(s, space, vector, type); }});
      }
    }
  }
}

}  // namespace ladder::emulator::fuzz
