// What PTX instructions count for beside themselves: floating-point operations, shuffles, ...
#pragma once

#include <string_view>
#include <vector>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Without Effect::instruction and site.
std::vector<Effect> effects_of(std::string_view opcode);

// Whether anything reads what an atomic instruction returns: machine code has other instructions
// where nobody does, whatever PTX says.
bool result_is_read(const ptx::Function& function, const ptx::Instruction& atomic);
// Whether machine code combines the values of a warp and updates memory once, if it knows that all
// lanes have one address: what an H200 was seen to do.
bool combines_lanes(const ptx::Function& function, const ptx::Instruction& atomic);

}  // namespace ladder::emulator
