// The rows of a frame, and those of them that are filled before a kernel or function begins.
#pragma once

#include <cstddef>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

void allocate_rows(Frame& frame);  // of frame.function
// Fills the prefilled rows from number `first` on.
void fill_rows(Frame& frame, const Warp& warp, std::size_t first);
// Computes those that a part of the prologue computes.
void compute_rows(Frame& frame, Warp& warp, std::size_t first, std::size_t last);

}  // namespace ladder::emulator
