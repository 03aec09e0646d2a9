// Liveness and the assignment of slots (linear scan over intervals).
#include <algorithm>
#include <functional>
#include <queue>

#include "common/emulator/exec/lowering.hpp"

namespace ladder::emulator {

namespace {

using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, std::uint32_t i) {
  return (bits[i / 64] >> (i % 64)) & 1;
}
void set(Bits& bits, std::uint32_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

bool is_register(std::uint32_t row) {
  return row != no_row && row < read_only;
}

template <class Visit>
void for_reads(const Inst& inst, const Visit& visit) {
  for (const std::uint32_t row : inst.s) {
    if (is_register(row)) visit(row);
  }
  if (is_register(inst.guard)) visit(inst.guard);
  for (int i = inst.list_written; i < inst.list_size; ++i) {
    if (is_register(inst.list[i])) visit(inst.list[i]);
  }
}

template <class Visit>
void for_writes(const Inst& inst, const Visit& visit) {
  if (is_register(inst.d)) visit(inst.d);
  if (is_register(inst.e)) visit(inst.e);
  for (int i = 0; i < inst.list_written; ++i) {
    if (is_register(inst.list[i])) visit(inst.list[i]);
  }
}

template <class Visit>
void for_end_reads(const Block& block, const Function& function, const Visit& visit) {
  for (const std::uint32_t row :
       {block.guard, block.index, block.barrier_id, block.barrier_count, block.barrier_source}) {
    if (is_register(row)) visit(row);
  }
  if (block.end == End::call && is_register(function.calls[block.call].target)) {
    visit(function.calls[block.call].target);
  }
}

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
  Liveness(std::size_t rows, const std::vector<DraftBlock>& blocks, const Function& function)
      : blocks_(blocks), function_(function), words_((rows + 63) / 64) {
    const std::size_t n = blocks.size();
    used_.assign(n, Bits(words_));
    killed_.assign(n, Bits(words_));
    in_.assign(n, Bits(words_));
    out_.assign(n, Bits(words_));
    for (std::size_t b = 0; b < n; ++b) scan(b);
    solve();
  }

  std::vector<Interval> intervals(std::size_t rows) const {
    std::vector<Interval> list(rows);
    for (std::uint32_t r = 0; r < rows; ++r) list[r].row = r;
    std::uint32_t at = 2;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const DraftBlock& block = blocks_[b];
      const std::uint32_t begin = at;
      if (is_register(block.block.members)) list[block.block.members].cover(at);
      for (const Inst& inst : block.instructions) {
        at += 2;
        // A lanewise result may take the slot of a source that ends here; others may not.
        const std::uint32_t written =
            inst.operation != nullptr && inst.guard == no_row ? at + 1 : at;
        for_reads(inst, [&](std::uint32_t r) { list[r].cover(at); });
        for_writes(inst, [&](std::uint32_t r) { list[r].cover(written); });
      }
      at += 2;
      for_end_reads(block.block, function_, [&](std::uint32_t r) { list[r].cover(at); });
      if (is_register(block.block.barrier_result)) list[block.block.barrier_result].cover(at);
      for (std::uint32_t r = 0; r < rows; ++r) {
        if (has(in_[b], r)) list[r].cover(begin);
        if (has(out_[b], r)) list[r].cover(at + 1);
      }
      at += 2;
    }
    return list;
  }

 private:
  void scan(std::size_t b) {
    Bits& used = used_[b];
    Bits& killed = killed_[b];
    const auto read = [&](std::uint32_t r) {
      if (!has(killed, r)) set(used, r);
    };
    if (is_register(blocks_[b].block.members)) read(blocks_[b].block.members);
    for (const Inst& inst : blocks_[b].instructions) {
      for_reads(inst, read);
      // Under a guard the old value survives in some lanes.
      if (inst.guard != no_row)
        for_writes(inst, read);
      else
        for_writes(inst, [&](std::uint32_t r) { set(killed, r); });
    }
    for_end_reads(blocks_[b].block, function_, read);
    if (is_register(blocks_[b].block.barrier_result)) set(killed, blocks_[b].block.barrier_result);
  }

  void solve() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        for (const std::uint32_t next : successors(blocks_, b)) {
          for (std::size_t w = 0; w < words_; ++w) out_[b][w] |= in_[next][w];
        }
        for (std::size_t w = 0; w < words_; ++w) {
          const std::uint64_t now = used_[b][w] | (out_[b][w] & ~killed_[b][w]);
          changed = changed || now != in_[b][w];
          in_[b][w] = now;
        }
      }
    }
  }

  const std::vector<DraftBlock>& blocks_;
  const Function& function_;
  std::size_t words_;
  std::vector<Bits> used_, killed_, in_, out_;
};

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
  const Slots slots = scan(table, liveness.intervals(table.kinds.size()));
  std::uint32_t begin[3];
  std::uint32_t at = 0;
  for (const RowKind kind : {RowKind::wide, RowKind::word, RowKind::predicate}) {
    begin[static_cast<int>(kind)] = at;
    at += slots.count[static_cast<int>(kind)] * bytes_of(kind);
  }
  at = (at + 63) / 64 * 64;
  for (Prefill& row : table.prefills) {
    row.offset = at;
    at += row.row_bytes == 0 ? 64 : row.row_bytes * lanes;
  }
  function.frame_bytes = at;
  const auto final_row = [&](std::uint32_t row) {
    if (row == no_row) return row;
    if (row >= read_only) return table.prefills[row & ~read_only].offset;
    const RowKind kind = table.kinds[row];
    return begin[static_cast<int>(kind)] + slots.of[row] * bytes_of(kind);
  };
  for (DraftBlock& draft : blocks) {
    for (Inst& inst : draft.instructions) {
      for (std::uint32_t* row :
           {&inst.d, &inst.e, &inst.guard, &inst.s[0], &inst.s[1], &inst.s[2], &inst.s[3]}) {
        *row = final_row(*row);
      }
    }
    Block& block = draft.block;
    for (std::uint32_t* row :
         {&block.guard, &block.index, &block.members, &block.barrier_id, &block.barrier_count,
          &block.barrier_source, &block.barrier_result}) {
      *row = final_row(*row);
    }
  }
  for (auto& list : function.lists) {
    for (std::uint32_t& row : list) row = final_row(row);
  }
  for (CallSite& call : function.calls) call.target = final_row(call.target);

  // Rows that change with every block come last.
  const auto of_block = [](const Prefill& row) {
    return row.kind == Prefill::Kind::special && static_cast<Special>(row.value) >= first_of_block;
  };
  function.prefills = table.prefills;
  const auto middle = std::stable_partition(function.prefills.begin(), function.prefills.end(),
                                            [&](const Prefill& row) { return !of_block(row); });
  function.first_block_prefill = static_cast<std::size_t>(middle - function.prefills.begin());
}

}  // namespace ladder::emulator
