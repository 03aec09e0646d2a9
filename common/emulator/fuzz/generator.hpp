// Random programs. Program `index` of a seed is always the same one, whoever makes it; together the
// programs of a seed go round all rows of the tables.
#pragma once

#include "common/emulator/fuzz/program.hpp"

namespace ladder::emulator::fuzz {

Program generate(u64 seed, std::size_t index);

}  // namespace ladder::emulator::fuzz
