// ops.def, looked up by opcode.
#pragma once

#include <string_view>

#include "common/emulator/exec/lanewise.hpp"

namespace ladder::emulator {

// nullptr: no such row.
const Operation* find_operation(std::string_view opcode);

// cvt in all its forms: types, rounding, saturation, flushing. text == nullptr: unknown.
// `immediate` receives what the handler needs in Inst::immediate.
Operation convert_operation(std::string_view opcode, std::int64_t& immediate);

// Runs an instruction whose handler computes all lanes, and keeps the lanes outside the mask.
Handler blend_handler(RowKind result);

// The parts of the table; each is compiled in a file of its own.
void add_integer_operations(void (*add)(const Operation&));
void add_float_operations(void (*add)(const Operation&));
void add_compare_operations(void (*add)(const Operation&));
void add_half_operations(void (*add)(const Operation&));

}  // namespace ladder::emulator
