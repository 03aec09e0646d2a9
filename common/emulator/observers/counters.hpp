// From what host threads counted to the counters of a launch and of its source lines.
#pragma once

#include <vector>

#include "common/emulator/exec/tally.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// `functions` by index. In the order of file and line; lines that did nothing are left out.
std::vector<LaunchRecord::Line> count_lines(const std::vector<const Function*>& functions,
                                            const Tally& tally);

}  // namespace ladder::emulator
