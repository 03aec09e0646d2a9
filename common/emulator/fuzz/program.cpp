#include "common/emulator/fuzz/program.hpp"

#include <cstdio>
#include <cstring>
#include <random>

#include "common/emulator/opcodes/opcode_kernel.hpp"

namespace ladder::emulator::fuzz {
namespace {

const char* const registers =
    ".reg .pred %p<6>, %tp<64>; .reg .b16 %h<8>, %th<64>; .reg .b32 %r<8>, %tr<64>;\n"
    ".reg .b64 %d<8>, %td<64>; .reg .f32 %f<8>, %tf<64>; .reg .f64 %e<8>, %te<64>;\n"
    ".reg .b64 %acc, %key; .reg .b32 %trips<8>, %zero;\n"
    "mov.u64 %key, 0x9E3779B97F4A7C15;\n";

std::string number(u64 value) {
  return std::to_string(value);
}

void print(const std::vector<Statement>& statements, std::string& text) {
  for (const Statement& statement : statements) {
    text += statement.open;
    print(statement.body, text);
    text += statement.middle;
    print(statement.other, text);
    text += statement.close;
  }
}

void collect(const std::vector<Statement>& statements, std::vector<std::string>& rows) {
  for (const Statement& statement : statements) {
    rows.insert(rows.end(), statement.rows.begin(), statement.rows.end());
    if (statement.always) collect(statement.body, rows);
  }
}

// All of a function's registers from its two arguments.
std::string function_prologue() {
  std::string text =
      "ld.param.b64 %acc, [a]; ld.param.b32 %zero, [z]; ld.param.b32 %tr0, [b]; cvt.u64.u32 %td0, "
      "%tr0;\n";
  for (unsigned i = 0; i < pool; ++i) {
    const std::string n = number(i);
    text += "mad.lo.u64 %d" + n + ", %acc, %key, %td0; mul.hi.u64 %td0, %d" + n +
            ", %key; xor.b64 %td0, %td0, %acc;\n";
    text += "cvt.u32.u64 %r" + n + ", %td0; cvt.u16.u64 %h" + n + ", %td0;\n";
    // Numbers in [0.5, 2).
    text += "and.b32 %tr1, %r" + n + ", 0x80ffffff; or.b32 %tr1, %tr1, 0x3f000000; mov.b32 %f" + n +
            ", %tr1; cvt.f64.f32 %e" + n + ", %f" + n + ";\n";
  }
  for (unsigned i = 0; i < predicate_pool; ++i) {
    text += "setp.lt.s32 %p" + number(i) + ", %r" + number(i) + ", 0;\n";
  }
  return text;
}

// One row of bits for everybody: constants and a kernel's argument.
std::vector<std::byte> shared_bits(std::size_t bytes, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bits(bytes);
  for (std::byte& byte : bits) byte = static_cast<std::byte>(random());
  return bits;
}

std::string list_of(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += (text.empty() ? "" : ", ") + number(static_cast<unsigned>(byte));
  }
  return text;
}

// '$' stands for the prefix.
std::string with_prefix(const std::string& text, const std::string& prefix) {
  std::string result;
  for (const char c : text) {
    if (c == '$') {
      result += prefix;
    } else {
      result += c;
    }
  }
  return result;
}

std::string load_pools() {
  std::string text;
  const auto load = [&](const char* type, const std::string& to, unsigned word) {
    text += std::string("ld.global.") + type + " " + to + ", [%mine+" + number(8 * word) + "];\n";
  };
  for (unsigned i = 0; i < pool; ++i) {
    load("b16", "%h" + number(i), first_h + i);
    load("b32", "%r" + number(i), first_r + i);
    load("b64", "%d" + number(i), first_d + i);
    load("f32", "%f" + number(i), first_f + i);
    load("f64", "%e" + number(i), first_e + i);
  }
  for (unsigned i = 0; i < predicate_pool; ++i) {
    load("b32", "%tr0", first_p + i);
    text += "and.b32 %tr0, %tr0, 1; setp.ne.u32 %p" + number(i) + ", %tr0, 0;\n";
  }
  return text;
}

// Memory of a thread's own starts with its input, words that are shared with a constant.
std::string fill_memory() {
  std::string text;
  for (unsigned i = 0; i < tile_bytes / 8; ++i) {
    const std::string at = number(8 * i), value = "%d" + number(i);
    text += "st.shared.b64 [%tile+" + at + "], " + value + "; st.local.b64 [%depot+" + at + "], " +
            value + ";\n";
    text += "st.global.b64 [%own+" + at + "], " + value + "; st.global.b64 [%own+" +
            number(8 * i + 64) + "], " + value + ";\n";
  }
  text +=
      "setp.lt.u32 %tp0, %thread, " + number(totals) +
      "; @!%tp0 bra FILLED;\n"
      "shl.b32 %tr0, %thread, 3; mov.u32 %tr1, block_totals; add.u32 %tr1, %tr1, %tr0;\n"
      "mov.u64 %td0, $table; cvt.u64.u32 %td1, %tr0; add.u64 %td0, %td0, %td1; ld.const.b64 %td2, "
      "[%td0];\nst.shared.b64 [%tr1], %td2;\nFILLED: bar.sync 0;\n";
  return text;
}

std::string fold_memory() {
  std::string text;
  for (unsigned i = 0; i < tile_bytes / 8; ++i) {
    const std::string at = number(8 * i);
    text += "ld.shared.b64 %td0, [%tile+" + at +
            "]; mad.lo.u64 %acc, %acc, %key, %td0;\nld.local.b64 %td0, [%depot+" + at +
            "]; mad.lo.u64 %acc, %acc, %key, %td0;\n";
  }
  return text;
}

}  // namespace

std::size_t Program::words_bytes() const {
  const std::size_t bytes = std::size_t{blocks} * threads * words * 8;
  return (bytes + 255) / 256 * 256;
}

std::size_t Program::trace_start() const {
  return words_bytes() + std::size_t{blocks} * threads * scratch_bytes + 8 * totals +
         std::size_t{blocks} * 8 * totals;
}
std::size_t Program::trace_bytes() const {
  return (2 * statements.size() + 7) / 8 * 8;
}
// Words of each thread, scratch of each thread, totals of the grid, totals of each block, traces.
std::size_t Program::out_bytes() const {
  return trace_start() + std::size_t{blocks} * threads * trace_bytes();
}

std::string Program::text(const std::string& prefix) const {
  std::string text =
      ".const .align 16 .b8 $table[256] = {" + list_of(shared_bits(256, seed)) + "};\n";
  text += ".global .align 16 .b8 $numbers[64] = {" + list_of(shared_bits(64, seed + 1)) + "};\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += ".func (.param .b64 result) $f" + number(i) +
            "(.param .b64 a, .param .b32 b, .param .b32 z)\n{\n" + registers + function_prologue();
    print(functions[i], text);
    text += "st.param.b64 [result], %acc; ret;\n}\n";
  }
  text +=
      ".visible .entry $k(.param .u64 out, .param .u64 in, .param .u32 n, .param .align 8 .b8 "
      "blob[64])\n{\n" +
      std::string(registers) + ".shared .align 16 .b8 tiles[" + number(threads * tile_bytes) +
      "]; .shared .align 16 .b8 exchange[" + number(threads * 8) +
      "]; .shared .align 16 .b8 block_totals[" + number(totals * 8) +
      "]; .shared .align 8 .b64 meeting;\n.local .align 16 .b8 depots[64];\n"
      ".reg .b32 %thread, %gtid, %full, %tile, %slot, %block; .reg .b64 %out, %in, %mine, %words, "
      "%own, %depot, %trace, %grid_totals, %tile_generic, %depot_generic;\n"
      "mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %tr0, %ntid.x; mad.lo.u32 %gtid, "
      "%block, %tr0, %thread;\n"
      "ld.param.u32 %zero, [n]; sub.u32 %zero, %zero, 1; ld.param.u64 %out, [out]; ld.param.u64 "
      "%in, [in]; cvta.to.global.u64 %out, %out; "
      "cvta.to.global.u64 %in, %in;\n"
      "mul.wide.u32 %td0, %gtid, " +
      number(8 * input_words) + "; add.u64 %mine, %in, %td0; mul.wide.u32 %td0, %gtid, " +
      number(8 * words) + "; add.u64 %words, %out, %td0;\nmul.wide.u32 %td0, %gtid, " +
      number(scratch_bytes) + "; add.u64 %own, %out, %td0; add.u64 %own, %own, " +
      number(words_bytes()) + ";\nadd.u64 %grid_totals, %out, " +
      number(words_bytes() + std::size_t{blocks} * threads * scratch_bytes) +
      "; mul.wide.u32 %td0, %gtid, " + number(trace_bytes()) +
      "; add.u64 %trace, %out, %td0; add.u64 %trace, %trace, " + number(trace_start()) +
      ";\n"
      "mul.lo.u32 %tr0, %thread, " +
      number(tile_bytes) +
      "; mov.u32 %tile, tiles; add.u32 %tile, %tile, %tr0; shl.b32 %tr0, %thread, 3; mov.u32 "
      "%slot, "
      "exchange; add.u32 %slot, %slot, %tr0; mov.u64 %depot, depots;\n"
      "cvt.u64.u32 %tile_generic, %tile; cvta.shared.u64 %tile_generic, %tile_generic; "
      "cvta.local.u64 %depot_generic, %depot;\n"
      // The lanes of this warp that exist.
      "and.b32 %tr0, %thread, 0xffffffe0; mov.u32 %tr1, %ntid.x; sub.u32 %tr0, %tr1, %tr0; "
      "setp.lt.u32 %tp0, %tr0, 32; mov.u32 %full, -1; shl.b32 %tr1, 1, %tr0; sub.u32 %tr1, %tr1, "
      "1; @%tp0 mov.u32 %full, %tr1;\n"
      "mul.wide.u32 %acc, %gtid, 0x85ebca6b;\n" +
      load_pools() + fill_memory();
  for (std::size_t i = 0; i < statements.size(); ++i) {
    print({statements[i]}, text);
    text += "mul.lo.u64 %td63, %acc, %key; shr.u64 %td63, %td63, 48; st.global.u16 [%trace+" +
            number(2 * i) + "], %td63;\n";
  }
  text += "bar.sync 0;\n" + fold_memory() +
          "st.global.b64 [%words], %acc;\n"
          "setp.lt.u32 %tp0, %thread, " +
          number(totals) +
          "; @!%tp0 bra ENDED;\n"
          "shl.b32 %tr0, %thread, 3; mov.u32 %tr1, block_totals; add.u32 %tr1, %tr1, %tr0; "
          "ld.shared.b64 %td2, [%tr1];\nmad.lo.u32 %tr0, %block, " +
          number(8 * totals) +
          ", %tr0; cvt.u64.u32 %td1, %tr0; add.u64 %td0, %grid_totals, %td1; "
          "st.global.b64 [%td0+" +
          number(8 * totals) + "], %td2;\nENDED: ret;\n}\n";
  return with_prefix(text, prefix);
}

KernelRun Program::run(const std::string& prefix) const {
  KernelRun run;
  run.ptx = module_head + text(prefix);
  run.kernel = prefix + "k";
  run.blocks = blocks;
  run.threads = threads;
  run.n = 1;
  run.more_parameters = shared_bits(64, seed + 2);
  run.out_bytes = out_bytes();
  std::mt19937_64 random(seed + 3);
  std::vector<u64> values(std::size_t{blocks} * threads * input_words);
  const Operand kinds_h[] = {Operand::b16, Operand::f16, Operand::bf16};
  const Operand kinds_r[] = {Operand::b32, Operand::f16x2, Operand::bf16x2};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t word = i % input_words;
    const Operand kind = word < first_r   ? kinds_h[random() % 3]
                         : word < first_d ? kinds_r[random() % 3]
                         : word < first_f ? Operand::b64
                         : word < first_e ? Operand::f32
                         : word < first_p ? Operand::f64
                                          : Operand::predicate;
    const std::vector<u64>& special = opcodes::special_values(kind);
    values[i] = random() % 3 == 0 ? special[random() % special.size()]
                                  : opcodes::random_value(kind, random);
  }
  run.in.resize(values.size() * 8);
  std::memcpy(run.in.data(), values.data(), run.in.size());
  return run;
}

std::vector<std::string> Program::hits() const {
  std::vector<std::string> rows;
  collect(statements, rows);
  for (const auto& function : functions) collect(function, rows);
  return rows;
}

namespace {

std::string hexadecimal(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// The two answers of an approximation, given the operands: both have to be near the exact one.
bool agree(const Reference& reference, const u64* gpu, const u64* emulator) {
  const std::size_t sources = reference.sources.size();
  if (std::memcmp(gpu, emulator, sources * 8) != 0) return false;
  if (gpu[sources] == emulator[sources]) return true;
  const std::optional<u64> exact = reference.compute(gpu);
  if (!exact.has_value()) return true;  // outside of what PTX bounds
  return reference.close_enough(gpu, *exact, gpu[sources]) &&
         reference.close_enough(gpu, *exact, emulator[sources]);
}

}  // namespace

std::string Program::place_of(std::size_t word) const {
  const std::size_t at = word - words_bytes() / 8, of_thread = scratch_bytes / 8;
  const std::size_t scratch = std::size_t{blocks} * threads * of_thread;
  if (at < scratch)
    return "scratch of thread " + number(at / of_thread) + ", byte " + number(at % of_thread * 8);
  return "total " + number((at - scratch) % totals) +
         (at - scratch < totals ? " of the grid" : " of a block");
}

std::optional<Parting> Program::parting(const std::vector<std::byte>& gpu,
                                        const std::vector<std::byte>& emulator) const {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (std::size_t thread = 0; thread < std::size_t{blocks} * threads; ++thread) {
      const std::size_t at = trace_place({i, thread});
      if (std::memcmp(&gpu[at], &emulator[at], 2) != 0) return Parting{i, thread};
    }
  }
  return std::nullopt;
}

std::size_t Program::trace_place(const Parting& where) const {
  return trace_start() + where.thread * trace_bytes() + 2 * where.statement;
}

std::string Program::statement_text(std::size_t i) const {
  std::string text;
  print({statements[i]}, text);
  return text;
}

std::string Program::difference(const std::vector<std::byte>& gpu,
                                const std::vector<std::byte>& emulator) const {
  if (gpu.size() != out_bytes() || emulator.size() != out_bytes()) return "no results";
  if (const auto where = parting(gpu, emulator))
    return "statement " + number(where->statement) + " in thread " + number(where->thread) + ":\n" +
           statement_text(where->statement);
  std::vector<u64> a(out_bytes() / 8), b(out_bytes() / 8);
  std::memcpy(a.data(), gpu.data(), out_bytes());
  std::memcpy(b.data(), emulator.data(), out_bytes());
  const auto different = [&](const std::string& what, std::size_t word) {
    return what + ": GPU " + hexadecimal(a[word]) + ", emulator " + hexadecimal(b[word]);
  };
  const std::size_t all_threads = std::size_t{blocks} * threads;
  for (std::size_t thread = 0; thread < all_threads; ++thread) {
    const std::size_t at = thread * words;
    for (const Approximation& one : approximations) {
      if (agree(*one.reference, &a[at + one.first], &b[at + one.first])) continue;
      std::string operands;
      const std::size_t sources = one.reference->sources.size();
      for (std::size_t i = 0; i < sources; ++i)
        operands += " " + hexadecimal(a[at + one.first + i]);
      return different("thread " + number(thread) + ", " + one.reference->opcode + " of" + operands,
                       at + one.first + sources);
    }
    if (a[at] != b[at]) return different("thread " + number(thread), at);
  }
  for (std::size_t word = words_bytes() / 8; word < trace_start() / 8; ++word)
    if (a[word] != b[word]) return different(place_of(word), word);
  return {};
}

}  // namespace ladder::emulator::fuzz
