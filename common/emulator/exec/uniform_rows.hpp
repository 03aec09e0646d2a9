// Rows whose value is known before a kernel begins, and where they are computed; and which of them
// are the same in every lane.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "common/emulator/exec/lowering.hpp"

namespace ladder::emulator {

class UniformRows {
 public:
  UniformRows(RowTable& table, Function& function) : table_(table), function_(function) {}

  // Moves what computes such rows out of the blocks into the function's prologue.
  void hoist(std::vector<DraftBlock>& blocks);

  // Whether all lanes have the same value.
  bool has(std::uint32_t row) const;
  std::uint32_t constant(RowKind kind, std::uint64_t value);
  // A row that holds a + b or a - b of two such rows of one kind (word or wide).
  std::uint32_t sum(std::uint32_t a, std::uint32_t b);
  std::uint32_t difference(std::uint32_t a, std::uint32_t b);

 private:
  bool can_be_hoisted(const Inst& inst, bool in_loop) const;
  bool is_of_block(std::uint32_t row) const;
  std::uint32_t computed(RowKind kind);
  std::uint32_t combined(const char* operation, std::uint32_t a, std::uint32_t b, bool subtracts);

  RowTable& table_;
  Function& function_;
  std::set<std::uint32_t> varying_, of_block_;  // of what the prologue computes
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> known_;
};

// Drops from the prologue what nobody needs (is_used, by number of the prefill, is completed) and
// puts last what changes with every block of threads.
void order_prologue(const RowTable& table, Function& function, std::vector<bool>& is_used);

}  // namespace ladder::emulator
