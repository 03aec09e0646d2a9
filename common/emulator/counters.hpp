// What the emulator counts. The list, with the meaning of each counter, is counters.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ladder::emulator {

struct Counters {
#define COUNTER(field, ...) std::uint64_t field = 0;
#include "common/emulator/counters.def"
  double kernel_seconds = 0;  // host seconds spent executing

  Counters& operator+=(const Counters& more);
};

// How a counter stands to the one of Nsight Compute that is named beside it.
enum class Twin : std::uint8_t { none, exact, similar };

struct CounterInfo {
  std::uint64_t Counters::*field;
  const char* name;    // "global.load.sectors"
  const char* metric;  // of Nsight Compute, or ""
  Twin twin;
  const char* unit;     // "sectors"
  const char* meaning;  // a sentence for a learner
  bool of_launch;       // source lines have none of it
};

// In the order of counters.def.
std::span<const CounterInfo> counter_infos();

// What is computed from counters: one + other, one / other, or one - its ideal.
struct DerivedInfo {
  enum class Kind : std::uint8_t { sum, ratio, excess };
  Kind kind;
  const char* name;   // "global.load.sectors_per_request"
  const char* one;    // "global.load.sectors"
  const char* other;  // excess: "shared.load.wavefronts.ideal"
  const char* metric;
  const char* unit;
  const char* meaning;
};
std::span<const DerivedInfo> derived_infos();

// Every counter by name, then what is derived from them: X.ideal beside a sum or ratio X that has
// one. A ratio of nothing by nothing is 0.
std::vector<std::pair<std::string, double>> named_counters(const Counters& counters);

}  // namespace ladder::emulator
