#include "common/emulator/fuzz/explain.hpp"

#include <cstdio>
#include <cstring>

#include "common/emulator/fuzz/generator.hpp"
#include "common/emulator/fuzz/recording.hpp"
#include "common/emulator/fuzz/scribe.hpp"

namespace ladder::emulator::fuzz {
namespace {

struct Pool {
  Operand kind;
  unsigned count;
};
const Pool pools[] = {{Operand::b16, pool}, {Operand::b32, pool},
                      {Operand::b64, pool}, {Operand::f32, pool},
                      {Operand::f64, pool}, {Operand::predicate, predicate_pool}};

std::string name_of(const Pool& pool, unsigned i) {
  return prefix_of(pool.kind) + std::to_string(i);
}

// Stores every register that holds a value, one word each, from `word` on.
Statement dump(unsigned word) {
  Statement statement;
  statement.open = "st.global.b64 [%words+" + std::to_string(8 * word++) + "], %acc;\n";
  for (const Pool& pool : pools) {
    for (unsigned i = 0; i < pool.count; ++i) {
      const std::string name = name_of(pool, i);
      std::string move = "mov.b64 %td0, " + name + ";";
      if (pool.kind == Operand::b16) move = "cvt.u64.u16 %td0, " + name + ";";
      if (pool.kind == Operand::b32) move = "cvt.u64.u32 %td0, " + name + ";";
      if (pool.kind == Operand::f32) move = "mov.b32 %tr0, " + name + "; cvt.u64.u32 %td0, %tr0;";
      if (pool.kind == Operand::predicate) move = "selp.b64 %td0, 1, 0, " + name + ";";
      statement.open +=
          move + " st.global.b64 [%words+" + std::to_string(8 * word++) + "], %td0;\n";
    }
  }
  return statement;
}

bool is_named(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    if (after < '0' || after > '9') return true;
  }
  return false;
}

}  // namespace

int explain(u64 seed, std::size_t index, const std::filesystem::path& recording) {
  const Program program = generate(seed, index);
  const auto recorded = read_recording(recording);
  const auto gpu = recorded.find(index);
  const auto machine = emulated_machine();
  const Outcome ours = machine->run(program.run());
  if (gpu == recorded.end() || !ours.ok()) {
    std::printf("nothing to compare: %s\n", ours.error.c_str());
    return 1;
  }
  const std::optional<Parting> parting = program.parting(gpu->second, ours.out);
  if (!parting) {
    std::printf("%s\n", program.difference(gpu->second, ours.out).c_str());
    return 1;
  }
  Program before = program;
  before.statements.resize(parting->statement);
  const unsigned first = before.words;
  before.statements.push_back(dump(first));
  before.words += 1;
  for (const Pool& pool : pools) before.words += pool.count;
  const Outcome state = machine->run(before.run());
  std::printf("%s", program.difference(gpu->second, ours.out).c_str());
  std::uint16_t trace;
  std::memcpy(&trace, &gpu->second[program.trace_place(*parting)], 2);
  std::printf("upper bits of %%acc * %%key on the GPU = 0x%x\n", trace);
  const std::string text = program.statement_text(parting->statement);
  std::size_t at = (parting->thread * before.words + first) * 8;
  u64 value;
  std::memcpy(&value, state.out.data() + at, 8);
  std::printf("%%acc = 0x%llx\n", static_cast<unsigned long long>(value));
  at += 8;
  for (const Pool& pool : pools) {
    for (unsigned i = 0; i < pool.count; ++i, at += 8) {
      std::memcpy(&value, state.out.data() + at, 8);
      if (is_named(text, name_of(pool, i)))
        std::printf("%s = 0x%llx\n", name_of(pool, i).c_str(),
                    static_cast<unsigned long long>(value));
    }
  }
  return 0;
}

}  // namespace ladder::emulator::fuzz
