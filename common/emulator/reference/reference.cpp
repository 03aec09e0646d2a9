// Prints the emulator's reference page, Markdown made from the tables it works by: instructions,
// calls of the runtime, counters, observers, and what is not supported.
//
//   emulator_reference EXPORTS     EXPORTS: what libcudart.so.N exports (nm -D --defined-only)
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/emulator/counters.hpp"
#include "common/emulator/exec/collective.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/operations.hpp"
#include "common/emulator/watch.hpp"

namespace {

using namespace ladder::emulator;

constexpr const char* integer_rows[] = {
#define INTEGER(text, ...) text,
#include "common/emulator/ptx/ops.def"
};
constexpr const char* float_rows[] = {
#define FLOAT(text, ...) text,
#include "common/emulator/ptx/ops.def"
};
constexpr const char* compare_rows[] = {
#define COMPARE(text, ...) text,
#include "common/emulator/ptx/ops.def"
};
constexpr const char* half_rows[] = {
#define HALF(text, ...) text,
#include "common/emulator/ptx/ops.def"
};
constexpr const char* unsupported_calls[] = {
#define UNSUPPORTED(name) #name,
#include "common/emulator/runtime/unsupported.def"
#undef UNSUPPORTED
};

using Families = std::map<std::string, std::vector<std::string>>;  // by what stands before the dot

void add(Families& families, const std::string& opcode) {
  if (opcode[0] == '_') return;  // a piece of the emulator's own
  const std::size_t dot = opcode.find('.');
  families[opcode.substr(0, dot)].push_back(dot == std::string::npos ? "" : opcode.substr(dot + 1));
}

void print_families(const char* title, const Families& families) {
  std::printf("\n### %s\n\n| instruction | forms |\n|---|---|\n", title);
  for (const auto& [head, forms] : families) {
    std::string text;
    for (const std::string& form : forms) {
      if (!form.empty()) text += (text.empty() ? "`." : " `.") + form + "`";
    }
    std::printf("| `%s` | %s |\n", head.c_str(), text.c_str());
  }
}

template <std::size_t N>
void print_rows(const char* title, const char* const (&rows)[N]) {
  Families families;
  for (const char* row : rows) add(families, row);
  print_families(title, families);
}

void print_conversions() {
  const std::vector<std::string> types = {"u8",  "u16", "u32", "u64", "s8",   "s16",
                                          "s32", "s64", "f16", "f32", "bf16", "f64"};
  std::printf(
      "\n### Conversions\n\nFrom the type at the left to the one above; `cvt` with any "
      "rounding, `.sat` and `.ftz` that PTX has for it.\n\n| from |");
  for (const std::string& to : types) std::printf(" %s |", to.c_str());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < types.size(); ++i) std::printf("---|");
  for (const std::string& from : types) {
    std::printf("\n| %s |", from.c_str());
    for (const std::string& to : types) {
      bool known = false;
      for (const char* rounding : {"", ".rn", ".rni", ".rzi"}) {
        std::int64_t immediate = 0;
        const std::string opcode = std::string("cvt") + rounding + "." + to + "." + from;
        known = known || convert_operation(opcode, immediate).text != nullptr;
      }
      std::printf(" %s |", known ? "yes" : "");
    }
  }
  std::printf("\n");
}

void print_atomics() {
  std::printf(
      "\n### Atomics\n\n`atom` and `red`, of global and shared memory, in every scope and "
      "order.\n\n| operation | types |\n|---|---|\n");
  for (const char* operation :
       {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
    std::string text;
    for (const char* type : {"u32", "s32", "u64", "s64", "b16", "b32", "b64", "b128", "f16",
                             "f16x2", "bf16", "bf16x2", "f32", "f64"}) {
      if (atomic_handler(operation, type) != nullptr) text += std::string("`") + type + "` ";
    }
    std::printf("| `%s` | %s |\n", operation, text.c_str());
  }
}

void print_collectives() {
  Families families;
  for (const Collective& collective : all_collectives()) add(families, collective.text);
  print_families("Between lanes, and others with a handler of their own", families);
}

void print_instructions() {
  std::printf(
      "## Instructions\n\nPTX of compute capability 7.5 to 9.0. Control flow, calls, loads, "
      "stores, "
      "`mov`, `cvta`, `bar`, `mbarrier`, `cp.async`, `mma`, `wmma` and `ldmatrix` are lowered by "
      "hand (exec/lowering*.cpp) and take the forms that nvcc writes; what follows comes from "
      "tables.\n\nAnything else is refused before the kernel starts, with the instruction and its "
      "line:\n\n    unsupported instruction 'tex.2d.v4.f32.f32' at blur.cu:12: ...\n");
  print_rows("Integers", integer_rows);
  print_rows("Floating point, 32 and 64 bits", float_rows);
  print_rows("Floating point, 16 bits", half_rows);
  print_rows("Comparisons", compare_rows);
  print_conversions();
  print_atomics();
  print_collectives();
}

void print_calls(const std::string& exports) {
  std::ifstream file(exports);
  std::set<std::string> known;
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    const std::string plain = name.substr(0, name.find('@'));
    if (plain.rfind("cuda", 0) == 0) known.insert(plain);
  }
  std::set<std::string> refused;
  for (const char* name : unsupported_calls) refused.insert(name);
  const auto list = [](const std::set<std::string>& names, const auto& wanted) {
    std::string text;
    for (const std::string& name : names) {
      if (wanted(name)) text += (text.empty() ? "`" : " `") + name + "`";
    }
    std::printf("%s\n", text.c_str());
  };
  std::printf("\n## Calls of the CUDA runtime\n\nThese do what the toolkit's do:\n\n");
  list(known, [&](const std::string& name) { return refused.count(name) == 0; });
  std::printf(
      "\nThese exist, so that programs load, and answer `cudaErrorNotSupported`; the name of "
      "the call is printed:\n\n");
  list(refused, [](const std::string& name) { return name.rfind("cuda", 0) == 0; });
}

const char* text_of(Twin twin) {
  switch (twin) {
    case Twin::exact:
      return "equal";
    case Twin::similar:
      return "similar";
    default:
      return "";
  }
}

void print_counters() {
  std::printf(
      "\n## Counters\n\nWhat `ladder profile` shows and goals can demand. *Equal*: the same "
      "number as Nsight Compute's on an H200, but for what parity/measured.csv says; "
      "*similar*: machine code has other instructions than PTX.\n\n"
      "| counter | unit | what it means | Nsight Compute | |\n|---|---|---|---|---|\n");
  const auto row = [](const char* name, const char* unit, const std::string& meaning,
                      const std::string& metric, const char* twin) {
    std::printf("| `%s` | %s | %s | %s | %s |\n", name, unit, meaning.c_str(),
                metric.empty() ? "" : ("`" + metric + "`").c_str(), twin);
  };
  for (const CounterInfo& info : counter_infos())
    row(info.name, info.unit, info.meaning, info.metric, text_of(info.twin));
  for (const DerivedInfo& info : derived_infos())
    row(info.name, info.unit, info.meaning, info.metric, "");
}

void print_observers() {
  std::printf(
      "\n## Observers\n\n`--observers` of `ladder check` and `ladder emulate` takes these "
      "names.\n\n| name | what it watches |\n|---|---|\n");
  for (const WatchName& watch : watch_names)
    std::printf("| `%s` | %s |\n", watch.name, watch.meaning);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: emulator_reference EXPORTS\n");
    return 2;
  }
  std::printf("# The emulator: reference\n\nMade from the emulator's tables; do not edit.\n\n");
  print_instructions();
  print_calls(words[1]);
  print_counters();
  print_observers();
  return 0;
}
