// How the addresses of a warp lay when a watched instruction was executed last. Mostly they lie so
// again, from another base: then whatever was worked out from that still holds, and nothing but
// that is tested.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Where memory is touched, as counters tell it apart.
enum class Where : std::uint8_t { global, shared, local, constant };

// How addresses lie within each chunk of eight lanes, apart from neighbours (bytes of a lane) and
// all the same (0): anyhow.
inline constexpr std::uint32_t no_stride = ~0u;

struct AccessPattern {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  std::uint64_t number = 0;           // unlike any other's; 0: none
  std::uint64_t of_leader = unknown;  // the number of the pattern that the one it follows had
  std::uint32_t mask = 0;             // the lanes
  std::uint32_t stride = no_stride;   // told for full masks only
  Where where = Where::global;
  // All bytes touched lie in [base + low, base + low + extent); base: the first lane's address.
  std::uint64_t low = 0, extent = 0;
  // From the first lane, by lane: of addresses and of 64-bit rows that they are made of; of 32-bit
  // ones.
  alignas(32) std::array<std::uint64_t, lanes> distance;
  alignas(32) std::array<std::uint32_t, lanes> short_distance;
};

namespace pattern_details {

template <class R>
auto& distances_of(auto& pattern) {
  if constexpr (sizeof(R) == 8)
    return pattern.distance;
  else
    return pattern.short_distance;
}

inline std::uint32_t stride_of(const AccessPattern& pattern, std::uint32_t bytes) {
  constexpr std::size_t chunk = 8;
  std::uint64_t differ = 0, apart = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t step = pattern.distance[lane] - pattern.distance[lane / chunk * chunk];
    differ |= step;
    apart |= step ^ (lane % chunk * bytes);
  }
  return differ == 0 ? 0 : apart == 0 ? bytes : no_stride;
}

}  // namespace pattern_details

// Whether the lanes' rows differ as they did: then so do the addresses made of them.
template <class R>
bool lies_alike(const AccessPattern& pattern, const R* row, std::uint32_t mask) {
  if (pattern.number == 0 || pattern.mask != mask) return false;
  const std::array<R, lanes>& known = pattern_details::distances_of<R>(pattern);
  const R first = row[std::countr_zero(mask)];
  if (mask == all_lanes) {
    R wrong = 0;
#pragma GCC ivdep
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      wrong |= static_cast<R>(row[lane] - first) ^ known[lane];
    }
    return wrong == 0;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (static_cast<R>(row[lane] - first) != known[lane]) return false;
  }
  return true;
}

// `row` is what addresses are made of, lanes_at[lane] an address; `bytes` of one lane.
template <class R, class Lanes>
void learn(AccessPattern& pattern, std::uint64_t number, Where where, const R* row,
           const Lanes& lanes_at, std::uint32_t mask, std::uint32_t bytes) {
  const int leading = std::countr_zero(mask);
  const std::uint64_t base = lanes_at[leading];
  const R first = row[leading];
  std::int64_t least = 0, most = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t distance = lanes_at[static_cast<int>(lane)] - base;
    pattern.distance[lane] = distance;
    pattern_details::distances_of<R>(pattern)[lane] = static_cast<R>(row[lane] - first);
    least = std::min(least, static_cast<std::int64_t>(distance));
    most = std::max(most, static_cast<std::int64_t>(distance));
  }
  pattern.low = static_cast<std::uint64_t>(least);
  pattern.extent = static_cast<std::uint64_t>(most - least) + bytes;
  pattern.number = number;
  pattern.of_leader = AccessPattern::unknown;
  pattern.mask = mask;
  pattern.where = where;
  pattern.stride = mask == all_lanes ? pattern_details::stride_of(pattern, bytes) : no_stride;
}

}  // namespace ladder::emulator
