#include "common/emulator/golden/matrices.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "common/emulator/opcodes/opcode_kernel.hpp"

namespace ladder::emulator::golden {
namespace {

using opcodes::Operand;
using opcodes::u32;

constexpr int warps = 2;  // one a block, each with matrices of its own
constexpr int lanes = 32;

int bits_of(const std::string& type) {
  if (type == "tf32") return 32;
  if (type == "e4m3" || type == "e5m2") return 8;
  if (type == "bf16") return 16;
  return std::stoi(type.substr(1));
}
bool is_integer(const std::string& type) {
  return type[0] == 's' || type[0] == 'u' || type == "b1";
}

// One 32-bit word of elements (64 bits for f64).
u64 random_word(const std::string& type, bool magnitudes, std::mt19937_64& random) {
  const u64 bits = random();
  if (is_integer(type)) return bits & 0xffffffff;
  if (type == "f64") {
    const u64 value = opcodes::random_value(Operand::f64, random) & ~(u64{1} << 62);
    return magnitudes ? value & ~(u64{1} << 63) : value;
  }
  if (type == "e4m3" || type == "e5m2") {  // between 1/128 and 2
    const u64 value = (bits & 0x9f9f9f9f) | 0x20202020;
    return magnitudes ? value & 0x7f7f7f7f : value;
  }
  if (type == "f16" || type == "bf16") {
    // An exponent near that of 1.
    const u64 fixed = type == "f16" ? 0x3000300030003000 : 0x3e003e003e003e00;
    const u64 free = type == "f16" ? 0x8fff8fff8fff8fff : 0x81ff81ff81ff81ff;
    const u64 value = ((bits & free) | fixed) & 0xffffffff;
    return magnitudes ? value & 0x7fff7fff : value;
  }
  u64 value = (bits & 0x83ffffff) | 0x3c000000;
  if (type == "tf32") value &= ~u64{0x1fff};
  return magnitudes ? value & 0x7fffffff : value;
}

// Registers of a lane.
int registers(const std::string& type, int elements) {
  return elements * bits_of(type) / lanes / (type == "f64" ? 64 : 32);
}

std::string list(const char* name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(first + i);
  return text + "}";
}

struct Sizes {  // in registers of a lane
  int a, b, c, d;
};
Sizes sizes_of(const MatrixQuestion& q) {
  return {registers(q.a, q.m * q.k), registers(q.b, q.k * q.n), registers(q.accumulator, q.m * q.n),
          registers(q.result, q.m * q.n)};
}

std::string head(const MatrixQuestion& q, int in_words, int out_words) {
  const std::string type = q.a == "f64" ? "b64" : "b32";
  return ".version 8.7\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n.reg ." +
         type +
         " %a<64>, %d<32>; .reg .b64 %in, %out, %offset; .reg .b32 %t, %block;\n"
         "mov.u32 %t, %tid.x; mov.u32 %block, %ctaid.x;\n"
         "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "mul.wide.u32 %offset, %block, " +
         std::to_string(8 * lanes * in_words) +
         "; add.u64 %in, %in, %offset; mul.wide.u32 %offset, %block, " +
         std::to_string(8 * lanes * out_words) + "; add.u64 %out, %out, %offset;\n";
}

// Register i of lane t is word 32 * i + t.
std::string mma_text(const MatrixQuestion& q, const Sizes& sizes) {
  const int all = sizes.a + sizes.b + sizes.c;
  const std::string type = q.a == "f64" ? "b64" : "b32";
  std::string text = head(q, all, sizes.d) +
                     "mul.wide.u32 %offset, %t, 8; add.u64 %in, %in, %offset; add.u64 %out, %out, "
                     "%offset;\n";
  for (int i = 0; i < all; ++i)
    text += "ld.global." + type + " %a" + std::to_string(i) + ", [%in+" +
            std::to_string(8 * lanes * i) + "];\n";
  text += q.opcode + " " + list("%d", 0, sizes.d) + ", " + list("%a", 0, sizes.a) + ", " +
          list("%a", sizes.a, sizes.b) + ", " + list("%a", sizes.a + sizes.b, sizes.c) + ";\n";
  for (int i = 0; i < sizes.d; ++i)
    text += "st.global." + type + " [%out+" + std::to_string(8 * lanes * i) + "], %d" +
            std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

// A fragment of wmma has more registers for f16 factors than their elements need.
int fragment(const MatrixQuestion& q, const std::string& type, int elements, bool factor) {
  return factor && q.a == "f16" ? 8 : registers(type, elements);
}

// Matrices lie one behind the other, packed; each has 256 bytes a register.
std::string wmma_text(const MatrixQuestion& q, const Sizes& sizes) {
  const std::string shape =
      ".m" + std::to_string(q.m) + "n" + std::to_string(q.n) + "k" + std::to_string(q.k);
  const int a = fragment(q, q.a, q.m * q.k, true), b = fragment(q, q.b, q.k * q.n, true);
  const auto load = [&](const char* which, const char* layout, const std::string& type, int first,
                        int count, int at, int stride) {
    return std::string("wmma.load.") + which + ".sync.aligned." + layout + shape + ".global." +
           type + " " + list("%a", first, count) + ", [%in+" + std::to_string(8 * lanes * at) +
           "], " + std::to_string(stride) + ";\n";
  };
  std::string text = head(q, sizes.a + sizes.b + sizes.c, sizes.d);
  text += load("a", "row", q.a, 0, a, 0, q.k) + load("b", "col", q.b, a, b, sizes.a, q.k) +
          load("c", "row", q.accumulator, a + b, sizes.c, sizes.a + sizes.b, q.n);
  text += q.opcode + " " + list("%d", 0, sizes.d) + ", " + list("%a", 0, a) + ", " +
          list("%a", a, b) + ", " + list("%a", a + b, sizes.c) + ";\n";
  return text + "wmma.store.d.sync.aligned.row" + shape + ".global." + q.result + " [%out], " +
         list("%d", 0, sizes.d) + ", " + std::to_string(q.n) + ";\nret;\n}\n";
}

void add(std::vector<MatrixQuestion>& all, bool stored, int m, int n, int k, const std::string& d,
         const std::string& a, const std::string& b, const std::string& c,
         const std::string& modifier = "", const std::string& tail = "") {
  MatrixQuestion q{"", a, b, c, d, m, n, k, stored};
  const std::string shape =
      "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  const bool short_form = stored && a == "f16";  // names only the types of D and C
  const std::string types = short_form ? "." + d + "." + c : "." + d + "." + a + "." + b + "." + c;
  if (stored) {
    q.opcode = "wmma.mma" + std::string(a == "b1" ? tail : "") + ".sync.aligned.row.col." + shape +
               types + modifier;
  } else {
    q.opcode = "mma.sync.aligned." + shape + ".row.col" + modifier + types + tail;
  }
  all.push_back(q);
}

void add_mma(std::vector<MatrixQuestion>& all) {
  for (const int k : {8, 16}) {
    add(all, false, 16, 8, k, "f32", "f16", "f16", "f32");
    add(all, false, 16, 8, k, "f16", "f16", "f16", "f16");
    add(all, false, 16, 8, k, "f32", "bf16", "bf16", "f32");
  }
  add(all, false, 8, 8, 4, "f32", "f16", "f16", "f32");
  add(all, false, 8, 8, 4, "f16", "f16", "f16", "f16");
  for (const int k : {4, 8}) add(all, false, 16, 8, k, "f32", "tf32", "tf32", "f32");
  for (const int k : {16, 32}) {
    add(all, false, 16, 8, k, "f32", "e4m3", "e5m2", "f32");
    add(all, false, 16, 8, k, "f32", "e5m2", "e4m3", "f32");
    add(all, false, 16, 8, k, "f16", "e4m3", "e4m3", "f16");
  }
  add(all, false, 8, 8, 4, "f64", "f64", "f64", "f64");
  for (const int k : {4, 8, 16}) add(all, false, 16, 8, k, "f64", "f64", "f64", "f64");
  for (const std::string a : {"s8", "u8"}) {
    for (const std::string b : {"s8", "u8"}) {
      add(all, false, 8, 8, 16, "s32", a, b, "s32");
      for (const int k : {16, 32}) {
        add(all, false, 16, 8, k, "s32", a, b, "s32");
        add(all, false, 16, 8, k, "s32", a, b, "s32", ".satfinite");
      }
    }
  }
  for (const std::string a : {"s4", "u4"}) {
    for (const std::string b : {"s4", "u4"}) {
      add(all, false, 8, 8, 32, "s32", a, b, "s32");
      for (const int k : {32, 64}) add(all, false, 16, 8, k, "s32", a, b, "s32");
    }
  }
  for (const std::string tail : {".xor.popc", ".and.popc"}) {
    add(all, false, 8, 8, 128, "s32", "b1", "b1", "s32", "", tail);
    for (const int k : {128, 256}) add(all, false, 16, 8, k, "s32", "b1", "b1", "s32", "", tail);
  }
}

void add_wmma(std::vector<MatrixQuestion>& all) {
  struct Shape {
    int m, n;
  };
  for (const Shape& shape : {Shape{16, 16}, Shape{32, 8}, Shape{8, 32}}) {
    for (const std::string d : {"f16", "f32"})
      for (const std::string c : {"f16", "f32"})
        add(all, true, shape.m, shape.n, 16, d, "f16", "f16", c);
    add(all, true, shape.m, shape.n, 16, "f32", "bf16", "bf16", "f32");
    for (const std::string type : {"s8", "u8"}) {
      add(all, true, shape.m, shape.n, 16, "s32", type, type, "s32");
      add(all, true, shape.m, shape.n, 16, "s32", type, type, "s32", ".satfinite");
    }
  }
  add(all, true, 16, 16, 8, "f32", "tf32", "tf32", "f32");
  add(all, true, 8, 8, 4, "f64", "f64", "f64", "f64");
  for (const std::string type : {"s4", "u4"}) add(all, true, 8, 8, 32, "s32", type, type, "s32");
  for (const std::string tail : {".xor.popc", ".and.popc"})
    add(all, true, 8, 8, 128, "s32", "b1", "b1", "s32", "", tail);
}

double value_of(const std::string& type, u64 bits) {
  const opcodes::Format format = type == "f16" ? opcodes::half_format : opcodes::single_format;
  const u64 wide =
      opcodes::soft_convert(format, opcodes::double_format, bits, opcodes::Rounding::nearest);
  double value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

}  // namespace

std::vector<MatrixQuestion> matrix_questions() {
  std::vector<MatrixQuestion> all;
  add_mma(all);
  add_wmma(all);
  return all;
}

KernelRun kernel_run(const MatrixQuestion& q, bool magnitudes) {
  Sizes sizes = sizes_of(q);
  // m8n8k4 of f16 is four products side by side.
  const bool quads = !q.stored && q.m == 8 && q.k == 4 && q.a == "f16";
  if (quads) sizes = {2, 2, q.accumulator == "f16" ? 4 : 8, q.result == "f16" ? 4 : 8};
  KernelRun run;
  run.ptx = q.stored ? wmma_text(q, sizes) : mma_text(q, sizes);
  run.blocks = warps;
  run.threads = lanes;
  std::mt19937_64 random(static_cast<u64>(q.m * 10000 + q.n * 100 + q.k));
  std::vector<u64> words;
  const auto fill = [&](const std::string& type, int count) {
    for (int i = 0; i < lanes * count; ++i) {
      u64 word = random_word(type, magnitudes, random);
      // In memory matrices are packed: both halves of a word hold elements.
      if (q.stored && type != "f64") word |= random_word(type, magnitudes, random) << 32;
      words.push_back(word);
    }
  };
  for (int warp = 0; warp < warps; ++warp) {
    fill(q.a, sizes.a);
    fill(q.b, sizes.b);
    fill(q.accumulator, sizes.c);
  }
  run.in.resize(words.size() * 8);
  std::memcpy(run.in.data(), words.data(), run.in.size());
  run.out_bytes = static_cast<std::size_t>(8 * lanes * warps * sizes.d);
  return run;
}

bool near_enough(const MatrixQuestion& question, u64 gpu, u64 emulated, u64 size) {
  const std::string& type = question.result;
  if (gpu == emulated || is_integer(type) || type == "f64") return gpu == emulated;
  const int width = bits_of(type);
  const u64 mask = (u64{1} << width) - 1;
  const double bound = type == "f16" ? 0x1p-10 : 0x1p-20;
  for (int at = 0; at < 64; at += width) {
    const double theirs = value_of(type, gpu >> at & mask);
    const double ours = value_of(type, emulated >> at & mask);
    if (!(std::fabs(theirs - ours) <= value_of(type, size >> at & mask) * bound)) return false;
  }
  return true;
}

}  // namespace ladder::emulator::golden
