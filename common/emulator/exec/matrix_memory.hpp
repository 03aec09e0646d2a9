// Small matrices between memory and the registers of a warp.
#pragma once

#include "common/emulator/exec/matrix_fragments.hpp"

namespace ladder::emulator {

// ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements, one for each register of Inst::list; lane
// 8 * i + r has the address of row r of matrix i.
Handler load_matrix_handler(bool transposed);
Handler store_matrix_handler(bool transposed);

// movmatrix: the transpose of one such matrix, from register to register.
Handler transpose_handler();

// wmma.load and wmma.store: s[0] the address, s[1] the elements from one line to the next, s[2] a row
// with the matrix, bit by bit.
struct MatrixInMemory {
  char which = 'a';  // a, b or c
  bool by_columns = false;
  Element element = Element::f16;
  u8 m = 0, n = 0, k = 0;
  u16 unused = 0;

  int lines() const { return which == 'a' ? m : n; }  // of a fragment: of A and B, along k
  bool along_k() const { return by_columns == (which == 'b'); }
};
Handler load_fragment_handler();
Handler store_fragment_handler();

}  // namespace ladder::emulator
