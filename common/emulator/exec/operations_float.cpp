// The FLOAT rows of ops.def.
#include "common/emulator/exec/lane_functions.hpp"
#include "common/emulator/exec/narrow_floats.hpp"
#include "common/emulator/exec/operations.hpp"

namespace ladder::emulator {

using namespace lane;

void add_float_operations(void (*add)(const Operation&)) {
#define COMMA ,
#define FLOAT(text, function, ...) add(operation<function, __VA_ARGS__>(text));
#include "common/emulator/ptx/ops.def"
#undef COMMA
}

}  // namespace ladder::emulator
