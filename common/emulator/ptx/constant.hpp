// Constant expressions of PTX (PTX ISA, "Constant Expressions"): 64-bit integers or doubles.
#pragma once

#include "common/emulator/ptx/token_stream.hpp"

namespace ladder::ptx {

struct Constant {
  enum class Kind : std::uint8_t { integer, float32, float64 };
  Kind kind = Kind::integer;
  bool is_unsigned = false;
  std::uint64_t bits = 0;  // float32: the low 32

  double as_double() const;
};

// Whether a token can start an expression (not '(', which starts a list elsewhere).
bool starts_constant(const Token& token);

// Reads the longest expression, ?: included. Throws ParseError: division by zero, nesting too deep.
Constant parse_constant(TokenStream& tokens);

}  // namespace ladder::ptx
