#include "common/emulator/exec/liveness.hpp"

#include <algorithm>

namespace ladder::emulator {

namespace {

bool has(const std::vector<std::uint64_t>& bits, std::uint32_t i) {
  return (bits[i / 64] >> (i % 64)) & 1;
}
void set(std::vector<std::uint64_t>& bits, std::uint32_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

}  // namespace

Liveness::Liveness(std::size_t rows, const std::vector<DraftBlock>& blocks,
                   const Function& function)
    : blocks_(blocks), function_(function), rows_(rows), words_((rows + 63) / 64) {
  const std::size_t n = blocks.size();
  used_.assign(n, Bits(words_));
  killed_.assign(n, Bits(words_));
  in_.assign(n, Bits(words_));
  out_.assign(n, Bits(words_));
  for (std::size_t b = 0; b < n; ++b) scan(b);
  solve();
}

std::vector<Interval> Liveness::intervals() const {
  std::vector<Interval> list(rows_);
  for (std::uint32_t r = 0; r < rows_; ++r) list[r].row = r;
  std::uint32_t at = 2;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const DraftBlock& block = blocks_[b];
    const std::uint32_t begin = at;
    if (is_register(block.block.members)) list[block.block.members].cover(at);
    for (const Inst& inst : block.instructions) {
      at += 2;
      // A lanewise result may take the slot of a source that ends here; others may not.
      const std::uint32_t written = inst.operation != nullptr && inst.guard == no_row ? at + 1 : at;
      for_reads(inst, [&](std::uint32_t r) { list[r].cover(at); });
      for_writes(inst, [&](std::uint32_t r) { list[r].cover(written); });
    }
    at += 2;
    for_end_reads(block.block, function_, [&](std::uint32_t r) { list[r].cover(at); });
    if (is_register(block.block.barrier_result)) list[block.block.barrier_result].cover(at);
    for (std::uint32_t r = 0; r < rows_; ++r) {
      if (has(in_[b], r)) list[r].cover(begin);
      if (has(out_[b], r)) list[r].cover(at + 1);
    }
    at += 2;
  }
  return list;
}

bool Liveness::leaves(std::size_t block, std::uint32_t row) const {
  return has(out_[block], row);
}

void Liveness::scan(std::size_t b) {
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

void Liveness::solve() {
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

void remove_dead(const RowTable& table, std::vector<DraftBlock>& blocks, const Function& function) {
  for (bool changed = true; changed;) {
    changed = false;
    const Liveness liveness(table.kinds.size(), blocks, function);
    std::vector<bool> alive(table.kinds.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::uint32_t row = 0; row < alive.size(); ++row) alive[row] = liveness.leaves(b, row);
      const auto read = [&](std::uint32_t row) { alive[row] = true; };
      for_end_reads(blocks[b].block, function, read);
      std::vector<DraftInst>& list = blocks[b].instructions;
      for (std::size_t i = list.size(); i-- > 0;) {
        const Inst& inst = list[i];
        // Behind a guard it may be counted.
        if (inst.operation != nullptr && inst.guard == no_row && is_register(inst.d) &&
            !alive[inst.d]) {
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
          changed = true;
          continue;
        }
        if (inst.guard == no_row) {
          for_writes(inst, [&](std::uint32_t row) { alive[row] = false; });
        }
        for_reads(inst, read);
      }
    }
  }
}

}  // namespace ladder::emulator
