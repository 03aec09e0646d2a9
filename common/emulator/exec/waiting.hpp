// Who waits where in a block of threads: for deadlocks and kernels that run out of time.
#pragma once

#include <string>

#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

// The first PTX instruction of a block of instructions.
const ptx::Instruction* first_source(const Block& block);

// Where a group is: what it waits at, or what it executes next.
const ptx::Instruction* instruction_of(const Group& group);

// One line for each place, what its lanes wait for included; "" if all threads have returned. With an
// audit those that run are known to spin, and what they look at is told.
std::string who_is_where(const ThreadBlock& block, const WaitAudit* audit = nullptr);

// Whether any thread waits for others.
bool anyone_waits(const ThreadBlock& block);

}  // namespace ladder::emulator
