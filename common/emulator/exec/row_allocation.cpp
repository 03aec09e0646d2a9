// The assignment of slots (linear scan over the intervals in which rows are alive).
#include <algorithm>
#include <functional>
#include <queue>

#include "common/emulator/exec/liveness.hpp"
#include "common/emulator/exec/uniform_rows.hpp"

namespace ladder::emulator {

namespace {

std::uint32_t bytes_of(RowKind kind) {
  return kind == RowKind::wide ? 256 : kind == RowKind::word ? 128 : 4;
}

// Slot number of each row, counted within its kind, and how many slots each kind needs.
struct Slots {
  std::vector<std::uint32_t> of;
  std::uint32_t count[3] = {0, 0, 0};
};

Slots scan(const RowTable& table, std::vector<Interval> intervals) {
  Slots slots;
  slots.of.assign(table.kinds.size(), 0);
  std::erase_if(intervals, [](const Interval& i) { return i.begin == ~0u; });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // end, slot
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> busy[3];
  std::vector<std::uint32_t> idle[3];
  for (const Interval& interval : intervals) {
    const auto kind = static_cast<std::size_t>(table.kinds[interval.row]);
    while (!busy[kind].empty() && busy[kind].top().first < interval.begin) {
      idle[kind].push_back(busy[kind].top().second);
      busy[kind].pop();
    }
    std::uint32_t slot = 0;
    if (idle[kind].empty()) {
      slot = slots.count[kind]++;
    } else {
      slot = idle[kind].back();  // the warmest
      idle[kind].pop_back();
    }
    slots.of[interval.row] = slot;
    busy[kind].push({interval.end, slot});
  }
  return slots;
}

}  // namespace

std::vector<std::uint32_t> successors(const std::vector<DraftBlock>& blocks, std::size_t b) {
  const Block& block = blocks[b].block;
  std::vector<std::uint32_t> next(block.targets);
  const bool leaves =
      (block.end == End::exit || block.end == End::ret || block.end == End::branch) &&
      block.guard == no_row;
  if (block.end == End::branch) next.push_back(block.target);
  if (!leaves && b + 1 < blocks.size()) next.push_back(static_cast<std::uint32_t>(b + 1));
  return next;
}

std::uint32_t RowTable::temporary(RowKind kind) {
  kinds.push_back(kind);
  return static_cast<std::uint32_t>(kinds.size() - 1);
}

std::uint32_t RowTable::prefill(const Prefill& wanted) {
  const std::uint64_t shape = static_cast<std::uint64_t>(wanted.kind) | wanted.row_bytes << 8 |
                              wanted.value_bytes << 16 | wanted.is_signed << 24;
  const auto [found, fresh] =
      known.try_emplace({shape, wanted.value}, static_cast<std::uint32_t>(prefills.size()));
  if (fresh) prefills.push_back(wanted);
  return read_only | found->second;
}

RowKind RowTable::kind(std::uint32_t row) const {
  if (row < read_only) return kinds[row];
  const int bytes = prefills[row & ~read_only].row_bytes;
  return bytes == 8 ? RowKind::wide : bytes == 4 ? RowKind::word : RowKind::predicate;
}

std::optional<std::uint64_t> RowTable::constant(std::uint32_t row) const {
  if (row == no_row || row < read_only) return std::nullopt;
  const Prefill& found = prefills[row & ~read_only];
  if (found.kind != Prefill::Kind::constant) return std::nullopt;
  return found.value;
}

void allocate_rows(RowTable& table, std::vector<DraftBlock>& blocks, Function& function) {
  const Liveness liveness(table.kinds.size(), blocks, function);
  const Slots slots = scan(table, liveness.intervals());
  std::vector<bool> is_used(table.prefills.size());
  change_rows(blocks, function, [&](std::uint32_t row) {
    if (row != no_row && row >= read_only) is_used[row & ~read_only] = true;
    return row;
  });
  order_prologue(table, function, is_used);
  std::uint32_t begin[3];
  std::uint32_t at = zero_line_bytes;
  for (const RowKind kind : {RowKind::wide, RowKind::word, RowKind::predicate}) {
    begin[static_cast<int>(kind)] = at;
    at += slots.count[static_cast<int>(kind)] * bytes_of(kind);
  }
  at = (at + 63) / 64 * 64;
  for (std::size_t p = 0; p < table.prefills.size(); ++p) {
    Prefill& row = table.prefills[p];
    if (!is_used[p]) continue;
    row.offset = at;
    at += row.row_bytes == 0 ? 64 : row.row_bytes * lanes;
    if (row.kind != Prefill::Kind::computed) function.prefills.push_back(row);
  }
  function.frame_bytes = at;
  const auto final_row = [&](std::uint32_t row) {
    if (row == no_row) return row;
    if (row >= read_only) return table.prefills[row & ~read_only].offset;
    const RowKind kind = table.kinds[row];
    return begin[static_cast<int>(kind)] + slots.of[row] * bytes_of(kind);
  };
  change_rows(blocks, function, final_row);
  for (Inst& inst : function.prologue) change_rows(inst, final_row);
  for (DraftBlock& draft : blocks) {
    for (Inst& inst : draft.instructions) {
      if (inst.shift == no_row) inst.shift = zero_row;
    }
  }

  // Rows that change with every block come last.
  const auto middle = std::stable_partition(function.prefills.begin(), function.prefills.end(),
                                            [&](const Prefill& row) { return !row.of_block(); });
  function.first_block_prefill = static_cast<std::size_t>(middle - function.prefills.begin());
}

}  // namespace ladder::emulator
