// Products of small matrices that a warp computes together.
#pragma once

#include "common/emulator/exec/matrix_fragments.hpp"

namespace ladder::emulator {

// `quads`: mma.m8n8k4 of f16, four products side by side. Inst::immediate is the product, bit by
// bit; Inst::list the registers of d, a, b, c.
Handler product_handler(const MatrixProduct& product, bool quads);

}  // namespace ladder::emulator
