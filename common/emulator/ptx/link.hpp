// Several modules made one, as nvlink does with what was compiled apart (-rdc=true).
#pragma once

#include <vector>

#include "common/emulator/ptx/module.hpp"

namespace ladder::ptx {

// Declarations find their definitions; names that belong to one module stay apart. Throws
// ParseError if a name is defined twice. At least one module.
Module link(std::vector<Module> parts);

}  // namespace ladder::ptx
