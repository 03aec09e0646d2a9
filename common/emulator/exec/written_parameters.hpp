// Through which of its parameters a kernel can write to global memory. What lies behind the others
// it only reads, so that no two of its threads can race there.
#pragma once

#include <vector>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// `offsets`: of the kernel's parameters, in order.
WrittenParameters find_written_parameters(const ptx::Module& module, const ptx::Function& kernel,
                                          const std::vector<std::size_t>& offsets);

}  // namespace ladder::emulator
