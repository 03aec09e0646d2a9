// Small matrices between memory and the registers of a warp.
#pragma once

#include <array>
#include <functional>

#include "common/emulator/exec/matrix_fragments.hpp"

namespace ladder::emulator {

// ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements, one for each register of Inst::list; lane
// 8 * i + r has the address of row r of matrix i.
Handler load_matrix_handler(bool transposed);
Handler store_matrix_handler(bool transposed);

// movmatrix: the transpose of one such matrix, from register to register.
Handler transpose_handler();

// wmma.load and wmma.store: s[0] the address, s[1] the elements from one line to the next, s[2] a
// row with the matrix, bit by bit.
struct MatrixInMemory {
  char which = 'a';  // a, b or c
  bool by_columns = false;
  Element element = Element::f16;
  u8 m = 0, n = 0, k = 0;
  u16 unused = 0;

  int lines() const { return which == 'a' ? m : n; }  // of a fragment: of A and B, along k
  bool along_k() const { return by_columns == (which == 'b'); }
  int height() const { return which == 'b' ? k : m; }
  int width() const { return which == 'a' ? k : n; }
  int memory_lines() const { return by_columns ? width() : height(); }
  int length() const { return by_columns ? height() : width(); }  // of a line in memory
};
Handler load_fragment_handler();
Handler store_fragment_handler();

// What such an instruction touches, in parts: for A and B, and for ldmatrix, one for each register,
// a lane for each row of its tile; for accumulators one for each access of all lanes.
struct MatrixPart {
  u32 mask = 0;
  u32 bytes = 0;           // of a lane
  bool continues = false;  // the same request as the part before
  std::array<u64, lanes> address = {};
};
bool is_matrix_access(const Inst& inst);
void for_matrix_parts(const std::byte* rows, const Inst& inst,
                      const std::function<void(const MatrixPart&)>& visit);

}  // namespace ladder::emulator
