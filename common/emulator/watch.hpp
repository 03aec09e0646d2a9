// What watches kernels while they run under the emulator, as a set of bits that travels through
// the worker's protocol, control.hpp and device.hpp alike.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ladder::emulator {

using Watch = std::uint32_t;

inline constexpr Watch watch_memcheck = 1;  // off only for measuring the emulator
inline constexpr Watch watch_counters = 2;  // memory traffic too; instructions are always counted
inline constexpr Watch watch_racecheck = 4;
inline constexpr Watch watch_initcheck = 8;
inline constexpr Watch watch_synccheck = 16;
inline constexpr Watch watch_trace = 32;  // bounded by TraceLimits

// What is traced.
struct TraceLimits {
  std::uint64_t first_block = 0, blocks = 1;  // of every launch the blocks from this number on
  std::uint64_t accesses = 4096;              // of warps, in all launches together
};

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
    {"trace", watch_trace, "which lane touched which address (`ladder profile --trace`)"},
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

// "7": one block; "2-5": those from 2 to 5. False, and nothing is set: neither.
inline bool set_traced_blocks(TraceLimits& limits, std::string_view text) {
  const auto number = [&](std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
  };
  std::uint64_t first = 0, last = 0;
  if (!number(first)) return false;
  last = first;
  if (!text.empty()) {
    if (text[0] != '-') return false;
    text.remove_prefix(1);
    if (!number(last) || !text.empty() || last < first) return false;
    if (last - first == ~std::uint64_t{0}) return false;
  }
  limits.first_block = first;
  limits.blocks = last - first + 1;
  return true;
}

}  // namespace ladder::emulator
