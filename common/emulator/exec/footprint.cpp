#include "common/emulator/exec/footprint.hpp"

namespace ladder::emulator {

void Stretches::sort() {
  std::sort(at_.begin(), at_.begin() + size_,
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  int kept = 0;
  for (int i = 1; i < size_; ++i) {
    Stretch& last = at_[static_cast<std::size_t>(kept)];
    const Stretch next = at_[static_cast<std::size_t>(i)];
    if (next.begin <= last.end) {
      last.end = std::max(last.end, next.end);
    } else {
      at_[static_cast<std::size_t>(++kept)] = next;
    }
  }
  size_ = kept + 1;
  ascending_ = true;
}

std::uint32_t bytes_of(const Stretches& stretches) {
  std::uint64_t sum = 0;
  for (const auto& stretch : stretches) sum += stretch.end - stretch.begin;
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t wavefronts_of(const Stretches& stretches) {
  // How many words each bank has: whole rounds of all banks, and a number for each bank whose bits
  // lie in planes, so that all banks are counted at once.
  std::uint32_t rounds = 0;
  std::array<std::uint32_t, 7> planes{};
  for_units(stretches, 2, [&](std::uint64_t first, std::uint64_t last) {
    const auto words = static_cast<std::uint32_t>(last - first + 1);
    rounds += words / 32;
    if (words % 32 == 0) return;
    std::uint32_t carry = std::rotl(~0u >> (32 - words % 32), static_cast<int>(first % 32));
    for (std::size_t p = 0; carry != 0; ++p) {
      const std::uint32_t next = planes[p] & carry;
      planes[p] ^= carry;
      carry = next;
    }
  });
  std::uint32_t most = 0, leaders = ~0u;
  for (std::size_t p = planes.size(); p-- > 0;) {
    if ((planes[p] & leaders) == 0) continue;
    leaders &= planes[p];
    most |= 1u << p;
  }
  return rounds + most;
}

}  // namespace ladder::emulator
