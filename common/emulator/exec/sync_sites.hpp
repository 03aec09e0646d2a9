// Where the threads of a kernel meet, and which blocks of instructions a thread can only come to by
// leaving such a place out for good. A thread that returns early leaves places out as well, but
// does nothing after them: hardware allows that, so those blocks are not listed.
#pragma once

#include "common/emulator/exec/lowering.hpp"

namespace ladder::emulator {

// Sets Function::sync_sites and `passed_by` of each block that needs it. Looks at barriers and at
// operations with a member mask; copies of one source line count as one place.
void find_sync_sites(const std::vector<DraftBlock>& blocks, Function& function);

// Whether the compiler may have made both from one place of the source.
bool same_place(const ptx::Function& function, const ptx::Instruction& a,
                const ptx::Instruction& b);

}  // namespace ladder::emulator
