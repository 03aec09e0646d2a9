// What the trace observer recorded: which lane of which warp touched which bytes. For pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/emulator/finding.hpp"
#include "common/emulator/watch.hpp"

namespace ladder::emulator {

// What addresses are told relative to.
struct TracedMemory {
  std::string space;  // "global", "shared", "local"
  // An allocation's or a variable's. "": of shared memory the launch's dynamic part; of local
  // memory, which each thread has for itself, all; of global memory what no allocation holds.
  std::string name;
  std::uint64_t begin = 0, bytes = 0;  // shared and local: begin is an offset
};

struct TracedInstruction {
  std::string file;  // its path; "" without -lineinfo
  int line = 0;
  std::string text;  // "ld.global.f32 %f1, [%rd4+4]"
};

struct TracedAccess {
  enum class Kind : std::uint8_t { read, write, atomic };
  // From 0 in each launch. Accesses with one number are of one instruction that a warp executed
  // once: its lanes point into several memories, or it moves matrices, or copies.
  std::uint64_t number = 0;
  std::uint32_t instruction = 0, memory = 0;  // of the launch's lists
  Kind kind = Kind::read;
  Dim3 block;
  unsigned warp = 0;                      // of its block
  std::uint32_t bytes = 0;                // of a lane, all elements of a vector together
  std::uint32_t mask = 0;                 // the lanes
  std::array<std::int64_t, 32> offset{};  // by lane, from the memory's begin; 0 for other lanes
};

struct TracedLaunch {
  std::string kernel;  // demangled
  Dim3 grid, block;
  std::vector<TracedMemory> memories;
  std::vector<TracedInstruction> instructions;
  std::vector<TracedAccess> accesses;
};

struct Trace {
  TraceLimits limits;
  std::vector<TracedLaunch> launches;  // those of which something was recorded
  std::uint64_t accesses = 0;          // recorded
  bool cut = false;                    // there were more

  void clear() { *this = {limits, {}, 0, false}; }
};

}  // namespace ladder::emulator
