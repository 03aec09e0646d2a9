// Makes a program smaller as long as it keeps doing what it was found for.
#pragma once

#include <functional>

#include "common/emulator/fuzz/program.hpp"

namespace ladder::emulator::fuzz {

// At most `attempts` calls of `still`.
Program shrink(Program program, const std::function<bool(const Program&)>& still, int attempts);

}  // namespace ladder::emulator::fuzz
