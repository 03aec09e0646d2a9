// Counts the memory accesses of a warp.
#pragma once

#include "common/emulator/exec/footprint.hpp"
#include "common/emulator/exec/tally.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// `inst` is a memory instruction with its watched fields set (Inst::traffic, Inst::counted).
void count_access(SiteTally& site, Warp& warp, const std::byte* rows, const Inst& inst,
                  std::uint32_t mask);

// The same of one part of a matrix instruction.
struct AccessPart {
  std::uint32_t mask, bytes;
  bool continues;  // the same request as the part before
};
void count_part(SiteTally& site, Warp& warp, const Inst& inst, const Addresses& addresses,
                const AccessPart& part);

}  // namespace ladder::emulator
