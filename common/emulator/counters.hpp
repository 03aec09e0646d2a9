// What the emulator counts. The list, with the meaning of each counter, is counters.def.
#pragma once

#include <cstdint>
#include <span>

namespace ladder::emulator {

struct Counters {
#define COUNTER(field, ...) std::uint64_t field = 0;
#include "common/emulator/counters.def"
#undef COUNTER
  double kernel_seconds = 0;  // host seconds spent executing

  Counters& operator+=(const Counters& more);
};

struct CounterInfo {
  std::uint64_t Counters::*field;
  const char* name;     // "global.load.sectors"
  const char* metric;   // of Nsight Compute, or ""
  const char* unit;     // "sectors"
  const char* meaning;  // a sentence for a learner
};

// In the order of counters.def.
std::span<const CounterInfo> counter_infos();

}  // namespace ladder::emulator
