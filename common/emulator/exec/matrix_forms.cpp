#include "common/emulator/exec/matrix_forms.hpp"

#include <string>

namespace ladder::emulator {

namespace {

constexpr u32 halves = bit(Element::f16), bfloats = bit(Element::bf16), tf32s = bit(Element::tf32);
constexpr u32 eighths = bit(Element::e4m3) | bit(Element::e5m2);
constexpr u32 bytes = bit(Element::s8) | bit(Element::u8);
constexpr u32 nibbles = bit(Element::s4) | bit(Element::u4), bits = bit(Element::b1);
constexpr u32 doubles = bit(Element::f64), singles = bit(Element::f32), words = bit(Element::s32);

// clang-format off
const MatrixForm forms[] = {
  //        m   n    k   A, B     C, D
  {"mma" ,  8,  8,   4, halves , halves | singles},
  {"mma" , 16,  8,   8, halves , halves | singles},
  {"mma" , 16,  8,  16, halves , halves | singles},
  {"mma" , 16,  8,   8, bfloats, singles},
  {"mma" , 16,  8,  16, bfloats, singles},
  {"mma" , 16,  8,   4, tf32s  , singles},
  {"mma" , 16,  8,   8, tf32s  , singles},
  {"mma" , 16,  8,  16, eighths, halves | singles},
  {"mma" , 16,  8,  32, eighths, halves | singles},
  {"mma" ,  8,  8,   4, doubles, doubles},
  {"mma" , 16,  8,   4, doubles, doubles},
  {"mma" , 16,  8,   8, doubles, doubles},
  {"mma" , 16,  8,  16, doubles, doubles},
  {"mma" ,  8,  8,  16, bytes  , words},
  {"mma" , 16,  8,  16, bytes  , words},
  {"mma" , 16,  8,  32, bytes  , words},
  {"mma" ,  8,  8,  32, nibbles, words},
  {"mma" , 16,  8,  32, nibbles, words},
  {"mma" , 16,  8,  64, nibbles, words},
  {"mma" ,  8,  8, 128, bits   , words},
  {"mma" , 16,  8, 128, bits   , words},
  {"mma" , 16,  8, 256, bits   , words},
  {"wmma", 16, 16,  16, halves , halves | singles},
  {"wmma", 32,  8,  16, halves , halves | singles},
  {"wmma",  8, 32,  16, halves , halves | singles},
  {"wmma", 16, 16,  16, bfloats, singles},
  {"wmma", 32,  8,  16, bfloats, singles},
  {"wmma",  8, 32,  16, bfloats, singles},
  {"wmma", 16, 16,   8, tf32s  , singles},
  {"wmma",  8,  8,   4, doubles, doubles},
  {"wmma", 16, 16,  16, bytes  , words},
  {"wmma", 32,  8,  16, bytes  , words},
  {"wmma",  8, 32,  16, bytes  , words},
  {"wmma",  8,  8,  32, nibbles, words},
  {"wmma",  8,  8, 128, bits   , words},
};
// clang-format on

std::string shape_text(const MatrixForm& form) {
  return std::string("m") + std::to_string(form.m) + "n" + std::to_string(form.n) + "k" +
         std::to_string(form.k);
}

}  // namespace

std::optional<Element> element_of(std::string_view name) {
  constexpr std::string_view names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8",
                                        "s4",  "u4",   "b1",   "f64",  "f32",  "s32"};
  for (int i = 0; i < 13; ++i) {
    if (name == names[i]) return static_cast<Element>(i);
  }
  return std::nullopt;
}

std::span<const MatrixForm> matrix_forms() {
  return forms;
}

const MatrixForm* find_matrix_form(const Opcode& opcode, Element factor) {
  for (const MatrixForm& form : forms) {
    if (opcode.head() == form.instruction && (form.factors & bit(factor)) != 0 &&
        opcode.has(shape_text(form))) {
      return &form;
    }
  }
  return nullptr;
}

std::vector<Element> elements_of(const Opcode& opcode) {
  std::vector<Element> elements;
  for (const std::string_view part : opcode.parts) {
    if (const auto element = element_of(part)) elements.push_back(*element);
  }
  return elements;
}

}  // namespace ladder::emulator
