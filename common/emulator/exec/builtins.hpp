// Functions that device code may call without defining them: printf, assert, malloc, free.
#pragma once

#include <string_view>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

Builtin find_builtin(std::string_view name);  // "vprintf"; none: unknown
void run_builtin(Warp& warp, Frame& frame, const CallSite& call, std::uint32_t mask);

}  // namespace ladder::emulator
