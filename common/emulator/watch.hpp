// What watches kernels while they run under the emulator, as a set of bits that travels through
// the worker's protocol, control.hpp and device.hpp alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::emulator {

using Watch = std::uint32_t;

inline constexpr Watch watch_memcheck = 1;  // off only for measuring the emulator
inline constexpr Watch watch_counters = 2;  // memory traffic too; instructions are always counted
inline constexpr Watch watch_racecheck = 4;
inline constexpr Watch watch_initcheck = 8;
inline constexpr Watch watch_synccheck = 16;

struct WatchName {
  const char* name;
  Watch bit;
  const char* meaning;
};
inline constexpr WatchName watch_names[] = {
    {"memcheck", watch_memcheck, "addresses: out of bounds, misaligned, freed, host's"},
    {"racecheck", watch_racecheck, "two threads at one place, unordered, one of them writing"},
    {"initcheck", watch_initcheck, "reads of memory that nobody wrote"},
    {"synccheck", watch_synccheck, "barriers in branches, shuffles from absent lanes"},
    {"counters", watch_counters, "sectors, wavefronts and the like"},
};

// "memcheck, racecheck, ...": all there are.
inline std::string known_watch_names() {
  std::string names;
  for (const WatchName& entry : watch_names)
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

// "memcheck,racecheck"; nothing if a name is unknown.
inline std::optional<Watch> parse_watch(std::string_view names) {
  Watch watch = 0;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
    bool known = false;
    for (const WatchName& entry : watch_names) {
      if (name != entry.name) continue;
      watch |= entry.bit;
      known = true;
    }
    if (!known) return std::nullopt;
  }
  return watch;
}

}  // namespace ladder::emulator
