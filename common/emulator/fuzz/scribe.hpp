// Writes statements: knows which registers there are, and where results go.
#pragma once

#include <random>
#include <string>

#include "common/emulator/fuzz/program.hpp"

namespace ladder::emulator::fuzz {

class Scribe {
 public:
  Scribe(Program& program, std::mt19937_64& random, bool in_function)
      : program(program), random(random), in_function(in_function) {}

  Program& program;
  std::mt19937_64& random;
  const bool in_function;  // no memory of its own there, only arithmetic and control flow

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class T, std::size_t N>
  const T& any(const T (&list)[N]) {
    return list[below(N)];
  }

  void begin_statement() { temporaries_ = 0; }
  std::string source(Operand kind);     // holds a value
  std::string target(Operand kind);     // may be overwritten
  std::string temporary(Operand kind);  // free within the statement
  std::string label() { return "L" + std::to_string(labels_++); }
  std::string folded(Operand kind, const std::string& name);
  // Hides from ptxas what an integer is: %zero is known at the launch only. Else it makes one
  // instruction of a conversion and of what comes behind, whose result for numbers out of range and
  // NaN is another: cvt.rzi.u64.f16 and cvt.sat.u32.u64, or cvt.rpi.u32.f32 and a shift of 16 bits
  // by it; and it takes the halves of a cvt.u32.s64 from both words (driver for CUDA 13.0).
  std::string hidden(Operand kind, const std::string& name);
  // The bits of `from` in `to`, hidden. A register that one instruction wrote as f16 and another
  // reads as bf16 or as a byte is converted by it, and so is the result of a `set` (driver for CUDA
  // 13.0).
  std::string laundered(Operand kind, const std::string& from, const std::string& to);
  // A NaN becomes the canonical one, where its sign and payload depend on what ptxas makes of the
  // instruction: the order of its operands, or a sign that is changed in passing.
  std::string one_nan(Operand kind, const std::string& name);
  std::string fresh_source(Operand kind);  // read from the input, and not computed

 private:
  unsigned temporaries_ = 0;
  unsigned labels_ = 0;
};

// How a register of this kind is declared: %h, %r, %d, %f, %e, %p.
const char* prefix_of(Operand kind);

}  // namespace ladder::emulator::fuzz
