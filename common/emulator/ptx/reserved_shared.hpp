// The shared memory that the system keeps for cooperative groups: barriers of tiles of several warps,
// and what these exchange. A GPU has it beside a block's own; here it is a variable of the module, with
// the name of the special register that holds its address.
#pragma once

#include <string_view>

namespace ladder::ptx {

inline constexpr std::string_view reserved_shared = "%reserved_smem_offset_1";
inline constexpr unsigned reserved_shared_bytes = 288;  // what <cooperative_groups.h> counts on

}  // namespace ladder::ptx
