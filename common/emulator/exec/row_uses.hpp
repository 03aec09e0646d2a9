// Which rows an instruction, or the end of a block, reads and writes.
#pragma once

#include "common/emulator/exec/lowering.hpp"

namespace ladder::emulator {

// Registers and temporaries: rows that instructions write.
inline bool is_register(std::uint32_t row) {
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

// Every place that names a row, lists apart, to be changed.
template <class Change>
void change_rows(Inst& inst, const Change& change) {
  for (std::uint32_t* row : {&inst.d, &inst.e, &inst.guard, &inst.shift, &inst.s[0], &inst.s[1],
                             &inst.s[2], &inst.s[3]}) {
    *row = change(*row);
  }
}

template <class Change>
void change_rows(std::vector<DraftBlock>& blocks, Function& function, const Change& change) {
  for (DraftBlock& draft : blocks) {
    for (Inst& inst : draft.instructions) change_rows(inst, change);
    Block& block = draft.block;
    for (std::uint32_t* row :
         {&block.guard, &block.index, &block.members, &block.barrier_id, &block.barrier_count,
          &block.barrier_source, &block.barrier_result}) {
      *row = change(*row);
    }
  }
  for (auto& list : function.lists) {
    for (std::uint32_t& row : list) row = change(row);
  }
  for (CallSite& call : function.calls) call.target = change(call.target);
}

}  // namespace ladder::emulator
