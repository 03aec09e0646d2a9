// All blocks of a launch over the host's cores.
#pragma once

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// Blocks start in the order of their number (a block may wait for one that started before it). At
// most `resident` are under way at once, as on the device. `threads` 0: all cores. Throws the
// first Fault; `counters` and `tally` receive what was executed in any case.
void run_grid(LaunchState& launch, int threads, std::uint64_t resident, Counters& counters,
              Tally& tally);

}  // namespace ladder::emulator
