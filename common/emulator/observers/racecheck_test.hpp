// For racecheck's tests: what it finds in a kernel.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

struct Races {
  std::vector<Finding> list;

  bool none() const { return list.empty(); }
  // The later access of one of them stands there.
  bool at(const std::string& place) const {
    return std::any_of(list.begin(), list.end(),
                       [&](const Finding& race) { return race.site.place == place; });
  }
};

// p0 and p1 point to 4096 words of their own, of zeros.
inline Races races_of(const std::string& text, Dim3 grid, Dim3 block, bool cooperative = false) {
  Options options;
  options.watch = watch_memcheck | watch_racecheck;
  TestKernel k(text, options);
  const std::vector<std::uint32_t> zeros(4096);
  const std::vector<std::uint64_t> arguments = {k.words(zeros, "p0"), k.words(zeros, "p1")};
  k.launch(grid, block, arguments, 0, cooperative);
  return {k.device.take_findings()};
}

}  // namespace ladder::emulator
