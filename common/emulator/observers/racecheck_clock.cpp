#include "common/emulator/observers/racecheck_clock.hpp"

#include <algorithm>

namespace ladder::emulator {

namespace {

bool earlier(const ClockEntry& a, const ClockEntry& b) {
  return a.who < b.who;
}

Clock::const_iterator first_of(const Clock& clock, std::uint64_t block) {
  return std::lower_bound(clock.begin(), clock.end(), ClockEntry{who_block(block), 0}, earlier);
}

Clock merged(const Clock& a, const Clock& b) {
  Clock both;
  both.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->who < j->who)) {
      both.push_back(*i++);
    } else if (i == a.end() || j->who < i->who) {
      both.push_back(*j++);
    } else {
      both.push_back({i->who, std::max(i->before, j->before)});
      ++i, ++j;
    }
  }
  return both;
}

bool contains(const Clock& all, const Clock& part) {
  auto i = all.begin();
  return std::all_of(part.begin(), part.end(), [&](const ClockEntry& entry) {
    while (i != all.end() && i->who < entry.who) ++i;
    return i != all.end() && i->who == entry.who && i->before >= entry.before;
  });
}

}  // namespace

ClockPointer joined(const ClockPointer& a, const ClockPointer& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr) return b;
  if (contains(*a, *b)) return a;
  if (contains(*b, *a)) return b;
  return std::make_shared<const Clock>(merged(*a, *b));
}

ClockPointer with(const ClockPointer& clock, Clock more) {
  std::sort(more.begin(), more.end(), earlier);
  return joined(clock, std::make_shared<const Clock>(std::move(more)));
}

ClockPointer without(const ClockPointer& clock, std::uint64_t block) {
  if (clock == nullptr) return clock;
  const auto begin = first_of(*clock, block), end = first_of(*clock, block + 1);
  if (begin == end) return clock;
  Clock rest(clock->cbegin(), begin);
  rest.insert(rest.end(), end, clock->cend());
  return rest.empty() ? nullptr : std::make_shared<const Clock>(std::move(rest));
}

Knowledge knowledge_of(const Clock& clock, std::uint64_t block, Stamp stamp) {
  const unsigned thread = thread_of(stamp);
  const bool warps = (stamp & several_warps) != 0, lanes = (stamp & several_lanes) != 0;
  bool some = false;
  for (auto entry = first_of(clock, block);
       entry != clock.end() && entry->who < who_block(block + 1); ++entry) {
    if (entry->before <= epoch_of(stamp)) continue;
    const auto part = entry->who - who_block(block);
    const bool is_thread = part >= 64;
    const bool of_warp = is_thread ? (part - 64) / 32 == thread / 32 : part - 1 == thread / 32;
    if (part == 0) return Knowledge::full;
    if (warps) {
      some = true;
    } else if (is_thread ? !lanes && part - 64 == thread : of_warp) {
      return Knowledge::full;
    } else if (lanes && of_warp) {
      some = true;
    }
  }
  return some ? Knowledge::partial : Knowledge::none;
}

}  // namespace ladder::emulator
