// A row is known if it is filled, or if it is written once, without a guard, by a lanewise
// operation of known rows: then its value is known before the block of threads starts. Such
// instructions leave their loops and run once for a launch, or once for a block of threads if they
// depend on blockIdx. If the rows it was made from are uniform, so is it. What is left of addresses
// can then be folded into loads and stores: see address_folding.cpp, which says what both gain
// together. Operations that stay and have a uniform last source read one value of it instead of 32.
#include "common/emulator/exec/uniform_rows.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/exec/row_uses.hpp"

namespace ladder::emulator {

namespace {

// Hoisted rows share their slots with nobody: more would cost the cache more than they gain.
constexpr std::size_t most_hoisted = 96, most_varying = 32;

std::uint32_t number_of(std::uint32_t row) {
  return row & ~read_only;
}

bool is_prefill(std::uint32_t row) {
  return row != no_row && row >= read_only;
}

std::uint8_t row_bytes_of(RowKind kind) {
  return kind == RowKind::wide ? 8 : kind == RowKind::word ? 4 : 0;
}

// Those between a branch that goes back and its target.
std::vector<bool> blocks_in_loops(const std::vector<DraftBlock>& blocks) {
  std::vector<int> change(blocks.size() + 1);  // of the number of loops around a block
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::uint32_t next : successors(blocks, b)) {
      if (next > b) continue;
      ++change[next];
      --change[b + 1];
    }
  }
  std::vector<bool> in_loop;
  int loops = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) in_loop.push_back((loops += change[b]) > 0);
  return in_loop;
}

}  // namespace

bool UniformRows::has(std::uint32_t row) const {
  if (!is_prefill(row) || varying_.contains(row)) return false;
  const Prefill& prefill = table_.prefills[number_of(row)];
  if (prefill.kind != Prefill::Kind::special) return true;
  const auto special = static_cast<Special>(prefill.value);
  return special >= first_uniform_special || special == Special::warpid ||
         special == Special::nwarpid;
}

bool UniformRows::is_of_block(std::uint32_t row) const {
  return of_block_.contains(row) || (is_prefill(row) && table_.prefills[number_of(row)].of_block());
}

bool UniformRows::can_be_hoisted(const Inst& inst, bool in_loop) const {
  if (inst.operation == nullptr || inst.guard != no_row || inst.e != no_row ||
      inst.list_size != 0 || !is_register(inst.d)) {
    return false;
  }
  const auto all_sources = [&](const auto& are) {
    return std::all_of(std::begin(inst.s), std::end(inst.s),
                       [&](std::uint32_t row) { return row == no_row || are(row); });
  };
  if (all_sources([&](std::uint32_t row) { return has(row); })) return true;
  // Values that differ between lanes are kept where that saves computing them anew. Addresses of 64
  // bits are cheaper as indices.
  const bool often = in_loop || all_sources([&](std::uint32_t row) { return !is_of_block(row); });
  return often && table_.kinds[inst.d] != RowKind::wide && varying_.size() < most_varying &&
         all_sources(is_prefill);
}

std::uint32_t UniformRows::constant(RowKind kind, std::uint64_t value) {
  Prefill row;
  row.row_bytes = row_bytes_of(kind);
  row.value = kind == RowKind::word ? value & 0xffffffffu : value;
  return table_.prefill(row);
}

std::uint32_t UniformRows::computed(RowKind kind) {
  Prefill row;
  row.kind = Prefill::Kind::computed;
  row.row_bytes = row_bytes_of(kind);
  row.value = function_.prologue.size();
  return table_.prefill(row);
}

void UniformRows::hoist(std::vector<DraftBlock>& blocks) {
  std::vector<int> writers(table_.kinds.size());
  for (const DraftBlock& draft : blocks) {
    if (is_register(draft.block.barrier_result)) ++writers[draft.block.barrier_result];
    for (const Inst& inst : draft.instructions) {
      for_writes(inst, [&](std::uint32_t row) { ++writers[row]; });
    }
  }
  std::vector<std::uint32_t> instead(table_.kinds.size(), no_row);
  const auto replaced = [&](std::uint32_t row) {
    return is_register(row) && instead[row] != no_row ? instead[row] : row;
  };
  const std::vector<bool> in_loop = blocks_in_loops(blocks);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::erase_if(blocks[b].instructions, [&](DraftInst& inst) {
        if (function_.prologue.size() >= most_hoisted) return false;
        if (!can_be_hoisted(inst, in_loop[b]) || writers[inst.d] != 1) return false;
        const std::uint32_t before = inst.d;
        inst.d = instead[before] = computed(table_.kinds[before]);
        for (const std::uint32_t row : inst.s) {
          if (row != no_row && !has(row)) varying_.insert(inst.d);
          if (is_of_block(row)) of_block_.insert(inst.d);
        }
        function_.prologue.push_back(inst);
        return changed = true;
      });
    }
    if (changed) change_rows(blocks, function_, replaced);
  }
}

std::uint32_t UniformRows::combined(const char* operation, std::uint32_t a, std::uint32_t b,
                                    bool subtracts) {
  const RowKind kind = table_.kind(a);
  const auto of_a = table_.constant(a), of_b = table_.constant(b);
  if (of_a && of_b) {
    return constant(kind, subtracts ? *of_a - *of_b : *of_a + *of_b);
  }
  const auto [found, fresh] = known_.try_emplace({a, b, subtracts}, no_row);
  if (!fresh) return found->second;
  Inst inst;
  inst.all = inst.operation = find_operation(operation)->all;
  inst.some = blend_handler(kind);
  inst.s[0] = a;
  inst.s[1] = b;
  inst.d = found->second = computed(kind);
  function_.prologue.push_back(inst);
  return inst.d;
}

std::uint32_t UniformRows::sum(std::uint32_t a, std::uint32_t b) {
  return combined(table_.kind(a) == RowKind::wide ? "add.u64" : "add.u32", a, b, false);
}

std::uint32_t UniformRows::difference(std::uint32_t a, std::uint32_t b) {
  return combined(table_.kind(a) == RowKind::wide ? "sub.u64" : "sub.u32", a, b, true);
}

void use_uniform_forms(const UniformRows& uniform, std::vector<DraftBlock>& blocks) {
  for (DraftBlock& draft : blocks) {
    for (DraftInst& inst : draft.instructions) {
      const Operation* operation = inst.described_by;
      if (operation == nullptr || operation->uniform == nullptr) continue;
      if (operation->commutes && uniform.has(inst.s[0])) std::swap(inst.s[0], inst.s[1]);
      if (!uniform.has(inst.s[operation->sources - 1])) continue;
      inst.all = inst.operation = operation->uniform;
    }
  }
}

void order_prologue(const RowTable& table, Function& function, std::vector<bool>& is_used) {
  std::vector<Inst>& list = function.prologue;
  for (std::size_t i = list.size(); i-- > 0;) {
    if (!is_used[number_of(list[i].d)]) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    for (const std::uint32_t row : list[i].s) {
      if (is_prefill(row)) is_used[number_of(row)] = true;
    }
  }
  std::vector<bool> of_block(table.prefills.size());
  for (std::size_t p = 0; p < of_block.size(); ++p) of_block[p] = table.prefills[p].of_block();
  for (const Inst& inst : list) {
    for (const std::uint32_t row : inst.s) {
      if (is_prefill(row) && of_block[number_of(row)]) of_block[number_of(inst.d)] = true;
    }
  }
  // Not std::stable_partition: in libstdc++ its buffer is aligned for max_align_t at most.
  std::vector<Inst> of_launch, of_each_block;
  for (const Inst& inst : list) {
    (of_block[number_of(inst.d)] ? of_each_block : of_launch).push_back(inst);
  }
  function.first_block_prologue = of_launch.size();
  list = std::move(of_launch);
  list.insert(list.end(), of_each_block.begin(), of_each_block.end());
}

}  // namespace ladder::emulator
