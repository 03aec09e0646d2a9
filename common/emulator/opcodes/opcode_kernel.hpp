// A kernel that runs one opcode on many rows of operands, and values worth trying.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {

// Zeros, ends of ranges, NaNs, subnormals and the like, as bits.
const std::vector<u64>& special_values(Operand operand);

// Random bits; of floating point, mostly numbers near 1, whose sums and products say something.
u64 random_value(Operand operand, std::mt19937_64& random);

// Of a single floating-point number.
std::optional<Format> format_of(Operand operand);

struct OperandText {
  const char* type;      // of the register
  const char* prefix;    // of its name
  const char* transfer;  // of loads and stores
};
OperandText text_of(Operand operand);

// k(out, in, n): out[i] = opcode(in[i][0], in[i][1], ...) for i < n; every value has 8 bytes.
// `constant`: what the last operand is instead, or nullptr.
std::string opcode_kernel(const Reference& reference, const u64* constant);

}  // namespace ladder::emulator::opcodes
