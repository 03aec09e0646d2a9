// cp.async: copies from global to shared memory that happen when they are waited for.
#pragma once

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// s[0] + immediate: from (global); s[1]: to (shared); s[2]: bytes read, the rest are zeros;
// Inst::bytes: copied.
void start_copy(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);
void commit_copies(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);
// immediate: groups that may stay unfinished; -1: all copies are waited for.
void wait_for_copies(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

}  // namespace ladder::emulator
