#include "docs/weave/difference.hpp"

namespace ladder::weave {

namespace {

// lengths[i][j]: the longest common subsequence of before[i..] and after[j..]
std::vector<std::vector<int>> common_lengths(const std::vector<std::string>& before,
                                             const std::vector<std::string>& after) {
  std::vector<std::vector<int>> lengths(before.size() + 1, std::vector<int>(after.size() + 1, 0));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      lengths[i][j] = before[i] == after[j] ? lengths[i + 1][j + 1] + 1
                                            : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

Hunk& hunk_of(Difference& difference, bool same, std::size_t before, std::size_t after) {
  if (difference.hunks.empty() || difference.hunks.back().same != same) {
    Hunk hunk;
    hunk.same = same;
    hunk.before_first = static_cast<int>(before);
    hunk.after_first = static_cast<int>(after);
    difference.hunks.push_back(hunk);
  }
  return difference.hunks.back();
}

}  // namespace

Difference compare(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const auto lengths = common_lengths(before, after);
  Difference difference;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      Hunk& hunk = hunk_of(difference, true, i, j);
      ++hunk.before_count, ++hunk.after_count;
      ++i, ++j;
    } else if (j == after.size() || (i < before.size() && lengths[i + 1][j] >= lengths[i][j + 1])) {
      ++hunk_of(difference, false, i++, j).before_count;
      ++difference.removed;
    } else {
      ++hunk_of(difference, false, i, j++).after_count;
      ++difference.added;
    }
  }
  return difference;
}

}  // namespace ladder::weave
