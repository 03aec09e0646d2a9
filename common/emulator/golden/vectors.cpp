#include "common/emulator/golden/vectors.hpp"

#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>

#include "common/emulator/opcodes/opcode_kernel.hpp"

namespace ladder::emulator::golden {

using opcodes::Operand;
using opcodes::u32;

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"integers", opcodes::add_integer_references},
      {"bits", opcodes::add_bit_references},
      {"floats", opcodes::add_float_references},
      {"approximations", opcodes::add_approximate_references},
      {"halves", opcodes::add_half_references},
      {"comparisons", opcodes::add_compare_references},
      {"conversions", opcodes::add_conversion_references},
  };
  return all;
}

std::string Question::name() const {
  return reference->opcode + (constant ? " " + std::to_string(*constant) : "");
}

std::vector<Question> questions(const opcodes::ReferenceTable& table) {
  std::vector<Question> all;
  for (const Reference& reference : table.rows()) {
    if (reference.constants.empty()) all.push_back({&reference, std::nullopt});
    for (const u64 constant : reference.constants) all.push_back({&reference, constant});
  }
  return all;
}

namespace {

std::size_t bytes_of(Operand operand) {
  switch (operand) {
    case Operand::predicate:
      return 1;
    case Operand::b16:
    case Operand::f16:
    case Operand::bf16:
      return 2;
    case Operand::b64:
    case Operand::f64:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

std::vector<u64> operands(const Question& question) {
  const std::vector<Operand>& sources = question.reference->sources;
  u64 seed = 0;
  for (const Operand source : sources) seed = seed * 31 + static_cast<u64>(source) + 1;
  std::mt19937_64 random(seed);
  std::vector<u64> values;
  for (std::size_t row = 0; row < row_count; ++row) {
    for (const Operand source : sources) {
      const std::vector<u64>& special = opcodes::special_values(source);
      const bool in_order = sources.size() == 1 && row < special.size();
      const bool is_special = in_order || random() % 8 < 5;
      values.push_back(in_order     ? special[row]
                       : is_special ? special[random() % special.size()]
                                    : opcodes::random_value(source, random));
    }
    if (question.constant) values.back() = *question.constant;
  }
  return values;
}

KernelRun kernel_run(const Question& question) {
  KernelRun run;
  const u64* constant = question.constant ? &*question.constant : nullptr;
  run.ptx = opcodes::opcode_kernel(*question.reference, constant);
  run.n = static_cast<u32>(row_count);
  run.threads = 128;
  run.blocks = static_cast<unsigned>((row_count + run.threads - 1) / run.threads);
  const std::vector<u64> values = operands(question);
  run.in.resize(values.size() * 8);
  std::memcpy(run.in.data(), values.data(), run.in.size());
  run.out_bytes = row_count * 8;
  return run;
}

std::vector<u64> results(const std::vector<std::byte>& out) {
  std::vector<u64> values(out.size() / 8);
  std::memcpy(values.data(), out.data(), values.size() * 8);
  return values;
}

std::size_t bytes_of_result(const Question& question) {
  return bytes_of(question.reference->result);
}

void write_recording(const std::filesystem::path& file, const std::string& machine,
                     const std::vector<Answer>& answers) {
  std::string text = "golden vectors 1\n" + machine + "\n";
  std::string binary;
  for (const Answer& answer : answers) {
    text += std::to_string(answer.values.size()) + " x " + std::to_string(answer.bytes) +
            " bytes: " + answer.name + "\n";
    for (const u64 value : answer.values)
      binary.append(reinterpret_cast<const char*>(&value), answer.bytes);
  }
  text += "\n" + binary;
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), ZSTD_maxCLevel());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  std::ofstream stream(file, std::ios::binary);
  stream.write(packed.data(), static_cast<std::streamsize>(size));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

Recording read_recording(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(stream), {}};
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > (1u << 30)) throw std::runtime_error("no golden vectors in " + file.string());
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(got)) throw std::runtime_error(file.string() + " is damaged");
  std::istringstream lines(text);
  std::string line;
  Recording recording;
  std::getline(lines, line);
  if (line != "golden vectors 1") throw std::runtime_error(file.string() + " has another format");
  std::getline(lines, recording.machine);
  const std::size_t end = text.find("\n\n");
  std::size_t at = end + 2;
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    std::size_t count = 0, bytes = 0;
    std::string skipped;
    words >> count >> skipped >> bytes >> skipped >> std::ws;
    std::string name;
    std::getline(words, name);
    if (bytes == 0 || bytes > 8 || count > (text.size() - at) / bytes)
      throw std::runtime_error(file.string() + ": too short for " + name);
    std::vector<u64>& values = recording.answers[name];
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i, at += bytes)
      std::memcpy(&values[i], text.data() + at, bytes);
  }
  return recording;
}

}  // namespace ladder::emulator::golden
