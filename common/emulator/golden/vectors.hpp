// Golden vectors: what a GPU answered for every arithmetic opcode on the same operands.
//
// Only results are stored. Operands are made anew from the types of the sources, so that opcodes
// with the same sources see the same operands, and their results, mostly alike, compress to little.
// A file is one family of opcodes, packed with zstd: binary on purpose, since nobody reads a
// difference of a hundred thousand numbers; its first lines are text that says what it holds
// (`zstd -dc FILE | head`), and the test names the opcode, the operands and both results.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/emulator/kernel_runs/kernel_run.hpp"
#include "common/emulator/opcodes/reference.hpp"

namespace ladder::emulator::golden {

using opcodes::Reference;
using opcodes::u64;

struct Family {
  const char* name;  // of its file, too
  void (*add)(opcodes::ReferenceTable& table);
};
const std::vector<Family>& families();

// An opcode, and the constant that its last operand is, if it must be one.
struct Question {
  const Reference* reference = nullptr;
  std::optional<u64> constant;
  std::string name() const;  // "add.u32", "lop3.b32 150"
};
std::vector<Question> questions(const opcodes::ReferenceTable& table);

inline constexpr std::size_t row_count = 512;
// row_count rows of one value a source.
std::vector<u64> operands(const Question& question);
std::size_t bytes_of_result(const Question& question);
KernelRun kernel_run(const Question& question);
// From the bytes that the kernel wrote.
std::vector<u64> results(const std::vector<std::byte>& out);

struct Recording {
  std::string machine;
  std::map<std::string, std::vector<u64>> answers;  // by Question::name()
};
struct Answer {
  std::string name;
  std::size_t bytes;  // of each value
  std::vector<u64> values;
};
// Both throw std::runtime_error.
void write_recording(const std::filesystem::path& file, const std::string& machine,
                     const std::vector<Answer>& answers);
Recording read_recording(const std::filesystem::path& file);

}  // namespace ladder::emulator::golden
