// Launches and what their source lines did, as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// Bytes that are no UTF-8, as names of files may have, become U+FFFD.
std::string json_quoted(std::string_view text);
std::string json_number(double value);
std::string json_dim(const Dim3& d);  // [8, 1, 1]
// {"instructions.warp": 1200, ...}; `all`: those that are 0 too.
std::string json_counters(const Counters& counters, bool all);

// [{"kernel": "k(float*)", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
//   "occupancy": {"blocks": 32, "warps": 32, "of_warps": 64, "limited_by": "blocks"},
//   "counters": {}, "lines": [{"file": "/home/k.cu", "line": 7, "counters": {}}]}]
// Counters that are 0 are left out.
std::string launches_json(const std::vector<LaunchRecord>& launches);

}  // namespace ladder::emulator
