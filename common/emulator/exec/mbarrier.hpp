// mbarrier: objects in shared memory that count arrivals, phase after phase; and the arrivals that
// asynchronous copies make when they are done.
#pragma once

#include <string_view>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// The handler for an opcode that begins with "mbarrier." (shape: the parts that matter, as in
// "arrive.expect_tx" or "test_wait.parity"); nullptr: no such instruction.
//
// s[0] + immediate: address of the object. s[1]: count, bytes, state or parity; no_row: 1.
// d: state, predicate, or no_row.
Handler mbarrier_handler(std::string_view shape);

// mbarrier.pending_count: how many arrivals were missing when the state was taken.
void pending_count(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

// Where the object that a lane's address (s[0] + immediate) names lies; a fault if there is none.
std::byte* mbarrier_object(std::byte* rows, const Inst& inst, Warp& warp, int lane);
// One arrival that somebody else makes, such as a copy that is done; bytes: transferred.
void arrive_for_copy(std::byte* object);
void complete_transfer(std::byte* object, std::uint32_t bytes);
// One arrival more is expected in this phase.
void expect_one_more(std::byte* object);

}  // namespace ladder::emulator
