// Golden vectors of mma and wmma: what a GPU made of random fragments.
//
// An mma's fragments are registers. Those of wmma are loaded and stored, since only memory has a
// layout that both sides know.
#pragma once

#include "common/emulator/golden/vectors.hpp"

namespace ladder::emulator::golden {

struct MatrixQuestion {
  std::string opcode;                     // mma.sync.aligned...
  std::string a, b, accumulator, result;  // element types
  int m = 0, n = 0, k = 0;
  bool stored = false;  // wmma
};
std::vector<MatrixQuestion> matrix_questions();

// `magnitudes`: the elements without their signs, so that the result is |c| + sum |a * b|.
KernelRun kernel_run(const MatrixQuestion& question, bool magnitudes = false);

// Are two results as near as two ways to add up may be? Integers and f64: bit for bit.
bool near_enough(const MatrixQuestion& question, u64 gpu, u64 emulated, u64 size);

}  // namespace ladder::emulator::golden
