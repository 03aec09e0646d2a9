// The emulator's answers beside a GPU's: bit for bit, the approximations within their bounds.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "common/emulator/exec/matrix_forms.hpp"
#include "common/emulator/golden/matrices.hpp"
#include "common/emulator/golden/recorded.hpp"
#include "common/emulator/golden/vectors.hpp"

using namespace ladder::emulator;
using namespace ladder::emulator::golden;

namespace {

const char* const table_opcodes[] = {
#define INTEGER(text, ...) text,
#define FLOAT(text, ...) text,
#define COMPARE(text, ...) text,
#define HALF(text, ...) text,
#include "common/emulator/ptx/ops.def"
};

Recording recording_of(const std::string& family) {
  return read_recording(std::filesystem::path(kRecorded) / (family + ".zst"));
}

// Opcodes that no recording has: golden/awaiting.txt, which says why.
const std::set<std::string>& awaiting() {
  static const std::set<std::string> names = [] {
    std::set<std::string> read;
    std::ifstream file(std::filesystem::path(kRecorded).parent_path() / "awaiting.txt");
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') read.insert(line);
    return read;
  }();
  return names;
}

std::string hexadecimal(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Of an approximation both answers are held against the exact value, as PTX bounds it.
bool agrees(const Reference& reference, const u64* operands, u64 recorded, u64 emulated) {
  if (recorded == emulated) return true;
  if (!reference.close_enough) return false;
  const std::optional<u64> exact = reference.compute(operands);
  if (!exact.has_value()) return true;  // outside of what PTX bounds
  return reference.close_enough(operands, *exact, recorded) &&
         reference.close_enough(operands, *exact, emulated);
}

// "": all alike. Otherwise the first difference and their number.
std::string difference(const Question& question, const std::vector<u64>& recorded,
                       const Outcome& outcome) {
  if (!outcome.ok()) return question.name() + ": " + outcome.error;
  if (recorded.size() != row_count) return question.name() + ": no golden vector";
  const std::vector<u64> in = operands(question), got = results(outcome.out);
  const std::size_t sources = question.reference->sources.size();
  std::string first;
  int differences = 0;
  for (std::size_t row = 0; row < row_count; ++row) {
    const u64* values = in.data() + row * sources;
    if (agrees(*question.reference, values, recorded[row], got[row])) continue;
    if (++differences > 1) continue;
    for (std::size_t i = 0; i < sources; ++i)
      first += (i == 0 ? "(" : ", ") + hexadecimal(values[i]);
    first += ") gives " + hexadecimal(got[row]) + ", the GPU " + hexadecimal(recorded[row]);
  }
  if (differences == 0) return {};
  return question.name() + first + " (" + std::to_string(differences) + " differ)";
}

void compare(const Family& family) {
  INFO(family.name);
  opcodes::ReferenceTable table;
  family.add(table);
  Recording recording = recording_of(family.name);
  const auto machine = emulated_machine();
  for (const Question& question : questions(table)) {
    if (awaiting().count(question.name()) != 0) continue;
    const Outcome outcome = machine->run(kernel_run(question));
    const std::string found = difference(question, recording.answers[question.name()], outcome);
    CHECK(found == "");
  }
}

// "": every element is as near as the order of additions lets it be.
std::string difference(Machine& machine, const MatrixQuestion& question,
                       const std::vector<u64>& recorded) {
  const Outcome outcome = machine.run(kernel_run(question));
  const Outcome sizes = machine.run(kernel_run(question, true));
  if (!outcome.ok()) return question.opcode + ": " + outcome.error;
  const std::vector<u64> got = results(outcome.out), size = results(sizes.out);
  if (recorded.size() != got.size()) return question.opcode + ": no golden vector";
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!near_enough(question, recorded[i], got[i], size[i]))
      return question.opcode + ": word " + std::to_string(i) + " is " + hexadecimal(got[i]) +
             ", on the GPU " + hexadecimal(recorded[i]);
  return {};
}

}  // namespace

TEST_CASE("every row of ops.def has a golden vector") {
  std::set<std::string> known;
  for (const Family& family : families())
    for (const auto& [name, values] : recording_of(family.name).answers)
      known.insert(name.substr(0, name.find(' ')));
  std::string missing;
  for (const std::string opcode : table_opcodes)
    if (opcode[0] != '_' && known.count(opcode) == 0 && awaiting().count(opcode) == 0)
      missing += opcode + "\n";
  CHECK(missing == "");
  for (const std::string& opcode : awaiting()) {
    INFO(opcode);
    CHECK(known.count(opcode) == 0);  // else it waits no longer: take it from the list
  }
}

TEST_CASE("the emulator answers as an H200 does") {
  for (const Family& family : families()) {
    CHECK(recording_of(family.name).machine.find("H200") != std::string::npos);
    compare(family);
  }
}

TEST_CASE("the emulator multiplies matrices as an H200 does") {
  Recording recording = recording_of("matrices");
  const auto machine = emulated_machine();
  for (const MatrixQuestion& question : matrix_questions()) {
    const std::string found = difference(*machine, question, recording.answers[question.opcode]);
    CHECK(found == "");
  }
}

TEST_CASE("every form of matrix product has a golden vector") {
  std::string missing;
  for (const MatrixForm& form : matrix_forms()) {
    for (int element = 0; element < 32; ++element) {
      if ((form.factors & 1u << element) == 0) continue;
      bool found = false;
      for (const MatrixQuestion& question : matrix_questions())
        found = found || (question.stored == (form.instruction == std::string("wmma")) &&
                          question.m == form.m && question.n == form.n && question.k == form.k &&
                          (element_of(question.a) == static_cast<Element>(element) ||
                           element_of(question.b) == static_cast<Element>(element)));
      if (!found)
        missing += std::string(form.instruction) + " m" + std::to_string(form.m) + "k" +
                   std::to_string(form.k) + " of element " + std::to_string(element) + "\n";
    }
  }
  CHECK(missing == "");
}
