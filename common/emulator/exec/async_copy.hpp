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

// cp.async.mbarrier.arrive: the mbarrier at s[0] + immediate gets an arrival once the lane's copies
// so far are done. Without Noinc the phase expects one arrival more.
template <bool Noinc>
void arrive_after_copies(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

// cp.async.bulk from global to shared memory: s[0] + immediate: the mbarrier that is told the
// bytes; s[1]: to; s[2]: from; s[3]: bytes.
void start_bulk_copy(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

// A lane of `warp` waits for the mbarrier `object`: the block's copies that will arrive there are
// done.
void finish_copies_for(const Warp& warp, const std::byte* object);

}  // namespace ladder::emulator
