// How small matrices lie in the registers of a warp (PTX ISA 9.0, section 9.7.14).
//
// One 32-bit register of all lanes, read in the order of the lanes, is a tile: 8 lines of 16 bytes.
// A line runs along k: a row of A, a column of B. Tiles go down 16 rows of A, then along k, then to
// the next 16 rows; or along k, then to the next 8 columns of B. An accumulator's tile is 8 x 8,
// two neighbours of a row in each lane. wmma leaves its layout open: it has this one too.
#pragma once

#include <optional>
#include <string_view>

#include "common/emulator/exec/lanewise.hpp"

namespace ladder::emulator {

enum class Element : u8 { f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4, b1, f64, f32, s32 };

std::optional<Element> element_of(std::string_view name);

constexpr int bits_of(Element element) {
  constexpr int bits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 1, 64, 32, 32};
  return bits[static_cast<int>(element)];
}

// Elements of A or B that one register of one lane holds.
constexpr int packed_in_register(Element element) {
  return element == Element::f64 ? 1 : 32 / bits_of(element);
}

inline constexpr int tile_lines = 8;

// Along k, in elements.
constexpr int tile_length(Element element) {
  return 4 * packed_in_register(element);
}

// d = a * b + c: m x n from m x k and k x n. Fits Inst::immediate.
struct MatrixProduct {
  u8 m = 0, n = 0;
  u8 quarter_k = 0;
  Element a = Element::f16, b = Element::f16, accumulator = Element::f32, result = Element::f32;
  u8 saturate : 1 = 0;
  u8 exclusive_or : 1 = 0;  // b1: xor instead of and
  u8 a_by_columns : 1 = 0, b_by_columns : 1 = 0;
  u8 rounding : 2 = 0;  // f64: Round

  int k() const { return 4 * quarter_k; }
  int registers_of_a() const { return m * k() / (lanes * packed_in_register(a)); }
  int registers_of_b() const { return n * k() / (lanes * packed_in_register(b)); }
};

// Of an m x n accumulator: elements of a lane, and the registers that hold them.
constexpr int accumulator_elements(int m, int n) {
  return m * n / lanes;
}
constexpr int accumulator_registers(int m, int n, Element element) {
  return accumulator_elements(m, n) / (element == Element::f16 ? 2 : 1);
}

// Where the first lane's element i of an m x n accumulator lies. Lane l's lies l / 4 rows below and
// 2 * (l % 4) columns to the right.
struct Place {
  int row, column;
  constexpr int index(int columns) const { return row * columns + column; }
};
constexpr Place accumulator_place(int i, int m, int n) {
  const int high = m >= 16 ? 2 : 1;  // tiles on top of each other before the next columns
  const int block = i / (2 * high), within = i % (2 * high);
  return {block / (n / 8) * 8 * high + within / 2 * 8, block % (n / 8) * 8 + within % 2};
}

// The tiles of A or B in the order of their registers: visit(register, first line, first element).
// `lines` are m or n; A has two tiles on top of each other where m allows it.
template <class Visit>
void for_tiles(int lines, int k, int length, bool two_high, const Visit& visit) {
  const int high = two_high && lines >= 16 ? 2 : 1;
  int at = 0;
  for (int line = 0; line < lines; line += tile_lines * high) {
    for (int first = 0; first < k; first += length) {
      for (int h = 0; h < high; ++h) visit(at++, line + h * tile_lines, first);
    }
  }
}

// The elements of an accumulator: visit(row of the register, lane, half, place).
template <class Visit>
void for_accumulator(const u32* list, Element element, int m, int n, const Visit& visit) {
  const bool halves = element == Element::f16;
  for (int i = 0; i < accumulator_elements(m, n); ++i) {
    const Place first = accumulator_place(i, m, n);
    const u32 row = list[halves ? i / 2 : i];
    if (row == no_row) continue;
    for (int lane = 0; lane < lanes; ++lane) {
      const Place place{first.row + lane / 4, first.column + lane % 4 * 2};
      visit(row, lane, halves ? i % 2 : 0, place);
    }
  }
}

// All lanes take part, or the result is undefined: a fault.
void need_whole_warp(const Inst& inst, u32 mask);

}  // namespace ladder::emulator
