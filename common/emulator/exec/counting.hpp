// Counters of memory traffic, as Nsight Compute counts them. Only instructions of a launch that
// counts go through here.
#pragma once

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Puts a counter in front of a global or shared memory instruction (also generic ones, by where
// they point). Leaves others alone.
void add_counting(Inst& inst);

// Adds what was executed; not launches and seconds.
void add(Counters& sum, const Counters& more);

}  // namespace ladder::emulator
