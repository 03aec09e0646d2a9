// Instructions that are several operations to the emulator: moves of parts, carries, comparisons
// with a boolean, set.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr Operand h = Operand::b16, r = Operand::b32, d = Operand::b64, f = Operand::f32,
                  e = Operand::f64, p = Operand::predicate;

void add(std::vector<Row>& rows, const std::string& name,
         const std::function<std::string(Scribe&)>& text) {
  rows.push_back({name, Place::anywhere, text});
}

void moves(std::vector<Row>& rows) {
  struct Plain {
    const char* name;
    Operand kind;
  };
  for (const Plain& one :
       {Plain{"mov.b16", h}, Plain{"mov.b32", r}, Plain{"mov.b64", d}, Plain{"mov.f32", f},
        Plain{"mov.f64", e}, Plain{"mov.pred", p}, Plain{"mov.u32", r}, Plain{"mov.s64", d}}) {
    add(rows, one.name, [one](Scribe& s) {
      const std::string to = s.target(one.kind);
      return std::string(one.name) + " " + to + ", " + s.source(one.kind) + ";\n" +
             s.folded(one.kind, to);
    });
  }
  add(rows, "mov.b32 {h, h}", [](Scribe& s) {
    const std::string to = s.target(r);
    return "mov.b32 " + to + ", {" + s.source(h) + ", " + s.source(h) + "};\n" + s.folded(r, to);
  });
  add(rows, "mov.b64 {r, r}", [](Scribe& s) {
    const std::string to = s.target(d);
    return "mov.b64 " + to + ", {" + s.source(r) + ", " + s.source(r) + "};\n" + s.folded(d, to);
  });
  add(rows, "mov.b64 {h, h, h, h}", [](Scribe& s) {
    const std::string to = s.target(d);
    return "mov.b64 " + to + ", {" + s.source(h) + ", " + s.source(h) + ", " + s.source(h) + ", " +
           s.source(h) + "};\n" + s.folded(d, to);
  });
  add(rows, "mov {h, h}, b32", [](Scribe& s) {
    const std::string low = s.temporary(h), high = s.temporary(h);
    return "mov.b32 {" + low + ", " + high + "}, " + s.source(r) + ";\n" + s.folded(h, high) +
           s.folded(h, low);
  });
  add(rows, "mov {r, r}, b64", [](Scribe& s) {
    const std::string low = s.temporary(r), high = s.temporary(r);
    return "mov.b64 {" + low + ", " + high + "}, " + s.source(d) + ";\n" + s.folded(r, high) +
           s.folded(r, low);
  });
  add(rows, "mov {h, h, h, h}, b64", [](Scribe& s) {
    std::string parts, text;
    for (int i = 0; i < 4; ++i) {
      const std::string part = s.temporary(h);
      parts += (i == 0 ? "" : ", ") + part;
      text += s.folded(h, part);
    }
    return "mov.b64 {" + parts + "}, " + s.source(d) + ";\n" + text;
  });
  add(rows, "mov.b32 float", [](Scribe& s) {
    const std::string to = s.target(f);
    return "mov.b32 " + to + ", " + s.source(r) + ";\n" + s.folded(f, to);
  });
}

// Three words: the first gives a carry, the second takes and gives one, the third takes one.
void carries(std::vector<Row>& rows) {
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    const Operand kind = type.substr(1) == "32" ? r : d;
    for (const std::string name : {"add", "sub"}) {
      add(rows, name + ".cc." + type, [=](Scribe& s) {
        const std::string x = s.temporary(kind), y = s.temporary(kind), z = s.temporary(kind);
        const auto two = [&] { return ", " + s.source(kind) + ", " + s.source(kind) + ";\n"; };
        return name + ".cc." + type + " " + x + two() + name + "c.cc." + type + " " + y + two() +
               name + "c." + type + " " + z + two() + s.folded(kind, x) + s.folded(kind, y) +
               s.folded(kind, z);
      });
    }
    for (const std::string half : {"lo", "hi"}) {
      add(rows, "mad." + half + ".cc." + type, [=](Scribe& s) {
        const std::string x = s.temporary(kind), y = s.temporary(kind), z = s.temporary(kind);
        const auto three = [&] {
          return ", " + s.source(kind) + ", " + s.source(kind) + ", " + s.source(kind) + ";\n";
        };
        return "mad." + half + ".cc." + type + " " + x + three() + "madc." + half + ".cc." + type +
               " " + y + three() + "madc." + half + "." + type + " " + z + three() +
               s.folded(kind, x) + s.folded(kind, y) + s.folded(kind, z);
      });
    }
  }
}

struct Comparable {
  const char* type;
  Operand kind;
  bool is_float, is_half = false;
};
const Comparable comparables[] = {
    {"u16", h, false},      {"s16", h, false},       {"u32", r, false}, {"s32", r, false},
    {"u64", d, false},      {"s64", d, false},       {"f32", f, true},  {"f64", e, true},
    {"f16", h, true, true}, {"bf16", h, true, true},
};
const char* const integer_orders[] = {"eq", "ne", "lt", "le", "gt", "ge"};
const char* const float_orders[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                    "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
const char* const booleans[] = {"and", "or", "xor"};

std::string order(Scribe& s, bool is_float) {
  return is_float ? s.any(float_orders) : s.any(integer_orders);
}
std::string predicate(Scribe& s) {
  return (s.one_in(3) ? "!" : "") + s.source(p);
}

void comparisons(std::vector<Row>& rows) {
  for (const Comparable& one : comparables) {
    const std::string type = one.type;
    for (const std::string boolean : booleans) {
      add(rows, "setp." + boolean + "." + type, [=](Scribe& s) {
        const std::string first = s.target(p), second = s.temporary(p);
        const bool pair = !one.is_half && s.one_in(2);
        return "setp." + order(s, one.is_float) + "." + boolean + "." + type + " " + first +
               (pair ? "|" + second : "") + ", " + s.source(one.kind) + ", " + s.source(one.kind) +
               ", " + predicate(s) + ";\n" + s.folded(p, first) + (pair ? s.folded(p, second) : "");
      });
    }
    for (const std::string to : {"u32", "s32", "f32"}) {
      if (one.is_half && to == "f32") continue;
      add(rows, "set." + to + "." + type, [=](Scribe& s) {
        const Operand kind = to == "f32" ? f : r;
        const std::string name = s.target(kind);
        const std::string written = to == "f32" ? s.temporary(f) : name;
        const bool combined = s.one_in(2);
        const std::string boolean = combined ? std::string(".") + s.any(booleans) : "";
        return "set." + order(s, one.is_float) + boolean + "." + to + "." + type + " " + written +
               ", " + s.source(one.kind) + ", " + s.source(one.kind) +
               (combined ? ", " + predicate(s) : "") + ";\n" +
               (to == "f32" ? s.laundered(f, written, name) : "") + s.folded(kind, name);
      });
    }
  }
  for (const std::string type : {"f16x2", "bf16x2"}) {
    add(rows, "setp." + type, [=](Scribe& s) {
      const std::string first = s.target(p), second = s.temporary(p);
      return "setp." + order(s, true) + "." + type + " " + first + "|" + second + ", " +
             s.source(r) + ", " + s.source(r) + ";\n" + s.folded(p, first) + s.folded(p, second);
    });
    add(rows, "set." + type + "." + type, [=](Scribe& s) {
      const std::string to = s.target(r);
      return "set." + order(s, true) + "." + type + "." + type + " " + to + ", " + s.source(r) +
             ", " + s.source(r) + ";\n" + s.folded(r, to);
    });
    add(rows, "set.u32." + type, [=](Scribe& s) {
      const std::string to = s.target(r);
      return "set." + order(s, true) + ".u32." + type + " " + to + ", " + s.source(r) + ", " +
             s.source(r) + ";\n" + s.folded(r, to);
    });
  }
  for (const std::string type : {"f16", "bf16"}) {
    for (const std::string to : {"u16", "s16"}) {
      add(rows, "set." + to + "." + type, [=](Scribe& s) {
        const std::string name = s.target(h);
        return "set." + order(s, true) + "." + to + "." + type + " " + name + ", " + s.source(h) +
               ", " + s.source(h) + ";\n" + s.folded(h, name);
      });
    }
    add(rows, "set." + type + "." + type, [=](Scribe& s) {
      const std::string to = s.target(h), written = s.temporary(h);
      return "set." + order(s, true) + "." + type + "." + type + " " + written + ", " +
             s.source(h) + ", " + s.source(h) + ";\n" + s.laundered(h, written, to) +
             s.folded(h, to);
    });
  }
}

}  // namespace

void add_composite_rows(std::vector<Row>& rows) {
  moves(rows);
  carries(rows);
  comparisons(rows);
}

}  // namespace ladder::emulator::fuzz
