// ldmatrix, stmatrix, movmatrix and mma, with values whose sums are exact in any order.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr Operand r = Operand::b32;

std::string list(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ", ") + name;
  return text + "}";
}

std::vector<std::string> temporaries(Scribe& s, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(s.temporary(r));
  return names;
}
std::vector<std::string> sources(Scribe& s, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(s.source(r));
  return names;
}
std::string folded(Scribe& s, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += s.folded(r, name);
  return text;
}

// Rows of 16 bytes lie in the tiles of other threads: nobody may be writing there.
std::string between_barriers(const std::string& text) {
  return "bar.warp.sync %full;\n" + text + "bar.warp.sync %full;\n";
}

std::string tile_row(Scribe& s) {
  return "[%tile+" + std::to_string(16 * s.below(4)) + "]";
}

// Powers of two from 1 to 8, two a word or one.
std::vector<std::string> small_halves(Scribe& s, int count, std::string& before) {
  std::vector<std::string> names = temporaries(s, count);
  for (const std::string& name : names)
    before += "and.b32 " + name + ", " + s.source(r) + ", 0x0c000c00; add.u32 " + name + ", " +
              name + ", 0x3c003c00;\n";
  return names;
}

struct IntegerProduct {
  const char* opcode;
  int d, a, b;
};
const IntegerProduct integer_products[] = {
    {"m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1},
    {"m16n8k16.row.col.s32.u8.s8.s32", 4, 2, 1},
    {"m16n8k32.row.col.s32.s8.u8.s32", 4, 4, 2},
    {"m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 4, 2},
    {"m8n8k32.row.col.s32.s4.s4.s32", 2, 1, 1},
    {"m16n8k64.row.col.s32.u4.s4.s32", 4, 4, 2},
    {"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1},
    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2},
};

}  // namespace

void add_matrix_rows(std::vector<Row>& rows) {
  const auto add = [&](const std::string& name, const std::function<std::string(Scribe&)>& text) {
    rows.push_back({name, Place::uniform, [text](Scribe& s) {
                      return s.program.threads % 32 == 0 ? text(s) : std::string();
                    }});
  };
  for (const int count : {1, 2, 4}) {
    for (const std::string trans : {"", ".trans"}) {
      const std::string shape = "m8n8.x" + std::to_string(count) + trans + ".shared.b16";
      add("ldmatrix.sync.aligned." + shape, [=](Scribe& s) {
        const std::vector<std::string> to = temporaries(s, count);
        return between_barriers("ldmatrix.sync.aligned." + shape + " " + list(to) + ", " +
                                tile_row(s) + ";\n") +
               folded(s, to);
      });
      add("stmatrix.sync.aligned." + shape, [=](Scribe& s) {
        return between_barriers("stmatrix.sync.aligned." + shape + " " + tile_row(s) + ", " +
                                list(sources(s, count)) + ";\n");
      });
    }
  }
  add("movmatrix.sync.aligned.m8n8.trans.b16", [](Scribe& s) {
    const std::string to = s.target(r);
    return "movmatrix.sync.aligned.m8n8.trans.b16 " + to + ", " + s.source(r) + ";\n" +
           s.folded(r, to);
  });
  for (const IntegerProduct& one : integer_products) {
    add("mma.sync.aligned." + std::string(one.opcode), [&one](Scribe& s) {
      const std::vector<std::string> to = temporaries(s, one.d);
      return "mma.sync.aligned." + std::string(one.opcode) + " " + list(to) + ", " +
             list(sources(s, one.a)) + ", " + list(sources(s, one.b)) + ", " +
             list(sources(s, one.d)) + ";\n" + folded(s, to);
    });
  }
  for (const std::string shape : {"m16n8k8", "m16n8k16"}) {
    const int a = shape == "m16n8k8" ? 2 : 4;
    add("mma.sync.aligned." + shape + ".row.col.f16.f16.f16.f16", [=](Scribe& s) {
      std::string before;
      const std::vector<std::string> x = small_halves(s, a, before),
                                     y = small_halves(s, a / 2, before),
                                     z = small_halves(s, 2, before), to = temporaries(s, 2);
      return before + "mma.sync.aligned." + shape + ".row.col.f16.f16.f16.f16 " + list(to) + ", " +
             list(x) + ", " + list(y) + ", " + list(z) + ";\n" + folded(s, to);
    });
    add("mma.sync.aligned." + shape + ".row.col.f32.f16.f16.f32", [=](Scribe& s) {
      std::string before;
      const std::vector<std::string> x = small_halves(s, a, before),
                                     y = small_halves(s, a / 2, before), z = temporaries(s, 4),
                                     to = temporaries(s, 4);
      for (const std::string& name : z)
        before += "and.b32 " + name + ", " + s.source(r) + ", 0x3000000; add.u32 " + name + ", " +
                  name + ", 0x3f000000;\n";
      return before + "mma.sync.aligned." + shape + ".row.col.f32.f16.f16.f32 " + list(to) + ", " +
             list(x) + ", " + list(y) + ", " + list(z) + ";\n" + folded(s, to);
    });
  }
}

}  // namespace ladder::emulator::fuzz
