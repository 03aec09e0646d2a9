// What was traced, as JSON, for those who draw it.
#pragma once

#include <string>

#include "common/emulator/trace.hpp"

namespace ladder::emulator {

// {"schema": "kernel-ladder-trace/1", "first_block": 0, "blocks": 1, "limit": 4096, "cut": false,
//  "launches": [{"kernel": "k(float*)", "grid": [1, 1, 1], "block": [32, 1, 1],
//    "memories": [{"space": "shared", "name": "tile", "begin": 0, "bytes": 128}],
//    "instructions": [{"file": "/home/k.cu", "line": 7, "text": "ld.shared.f32 %f1, [%r1]"}],
//    "accesses": [{"number": 0, "instruction": 0, "memory": 0, "kind": "read", "block": [0, 0, 0],
//                  "warp": 0, "bytes": 4, "offsets": [0, 4, null, ...]}]}]}
// `cut`: more happened than `limit` accesses. `offsets`: in bytes, for each of the 32 lanes; null:
// it took no part. The rest is what trace.hpp says.
std::string trace_json(const Trace& trace);

}  // namespace ladder::emulator
