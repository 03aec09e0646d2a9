// ld, st, atom, red and the like: chosen by space, width and shape. See loads.cpp, stores.cpp and
// atomics.cpp.
#pragma once

#include <string_view>

#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

// How the bytes of an element fill a lane of its row.
enum class Extend : std::uint8_t { zero, sign };

// `vector`: elements of a vector operand, 0 for none (2, 4, 8).
// Space::param and Space::constant are not known here: lowering maps them to global or local.
MemoryHandlers load_handlers(ptx::Space space, int bytes, Extend extend, int vector);
MemoryHandlers store_handlers(ptx::Space space, int bytes, int vector);

// `operation` as in PTX ("add", "cas"), `type` as in PTX ("u32"). nullptr: no such thing.
Handler atomic_handler(std::string_view operation, std::string_view type);

// Host address of one lane's access, or a fault with its whole story.
std::byte* resolve(Warp& warp, const Inst& inst, ptx::Space space, std::uint64_t address,
                   std::uint32_t bytes, int lane);

// For byte-wise access by the emulator itself (printf, parameters): any generic address.
std::byte* resolve_generic(Warp& warp, const ptx::Instruction* source, std::uint64_t address,
                           std::uint32_t bytes, int lane);

// The address a lane uses.
std::uint64_t lane_address(const std::byte* rows, const Inst& inst, int lane);

}  // namespace ladder::emulator
