// What PTX instructions count for beside themselves: floating-point operations, shuffles, ...
#pragma once

#include <string_view>
#include <vector>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Without Effect::instruction and site.
std::vector<Effect> effects_of(std::string_view opcode);

}  // namespace ladder::emulator
