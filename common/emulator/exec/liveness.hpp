// Which registers are alive where.
#pragma once

#include <vector>

#include "common/emulator/exec/row_uses.hpp"

namespace ladder::emulator {

// Positions in a function (blocks in order, two for each instruction) at which a row is alive.
struct Interval {
  std::uint32_t row = 0;
  std::uint32_t begin = ~0u, end = 0;

  void cover(std::uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};

class Liveness {
 public:
  Liveness(std::size_t rows, const std::vector<DraftBlock>& blocks, const Function& function);

  std::vector<Interval> intervals() const;
  // Whether the row is alive behind the block.
  bool leaves(std::size_t block, std::uint32_t row) const;

 private:
  using Bits = std::vector<std::uint64_t>;
  void scan(std::size_t b);
  void solve();

  const std::vector<DraftBlock>& blocks_;
  const Function& function_;
  std::size_t rows_, words_;
  std::vector<Bits> used_, killed_, in_, out_;
};

// Removes lanewise instructions whose results nobody reads.
void remove_dead(const RowTable& table, std::vector<DraftBlock>& blocks, const Function& function);

}  // namespace ladder::emulator
