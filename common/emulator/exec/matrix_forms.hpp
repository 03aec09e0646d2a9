// Which matrix instructions there are: shapes and element types of mma and wmma.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/matrix_fragments.hpp"

namespace ladder::emulator {

// A row of the table that an opcode names by its shape and types.
struct MatrixForm {
  const char* instruction;  // mma or wmma
  int m, n, k;
  u32 factors;       // bits, by Element: of A and B
  u32 accumulators;  // of C and D
};

constexpr u32 bit(Element element) {
  return 1u << static_cast<int>(element);
}

std::span<const MatrixForm> matrix_forms();

// The row for an opcode's shape (its part m16n8k16) that has `factor`; nullptr: none.
const MatrixForm* find_matrix_form(const Opcode& opcode, Element factor);

// The element types in an opcode, in order.
std::vector<Element> elements_of(const Opcode& opcode);

}  // namespace ladder::emulator
