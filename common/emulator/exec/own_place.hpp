// The line of a learner's that stands for an instruction in a function that was called.
#pragma once

#include <string>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// "saxpy.cu:12": of the instruction, or of the innermost call that leads to it where it stands in the
// toolkit's headers or has no line. A debug build calls atomicAdd, __shfl_sync and the like, which
// others inline. "" if unknown.
std::string own_place(const Frame& frame, const ptx::Instruction& instruction);

}  // namespace ladder::emulator
