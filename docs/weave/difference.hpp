// What a step changes in the step it builds on, line by line.
#pragma once

#include <string>
#include <vector>

namespace ladder::weave {

// Lines that both have, or those of one that stand in the place of those of the other. Indices
// are into the two lists that were compared.
struct Hunk {
  bool same = false;
  int before_first = 0, before_count = 0;
  int after_first = 0, after_count = 0;
};

struct Difference {
  std::vector<Hunk> hunks;
  int added = 0, removed = 0;
};

// The longest common subsequence stays.
Difference compare(const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace ladder::weave
