// From a parsed function to one that runs: blocks, rows, handlers. Everything that the emulator
// does not support is found here, and named with its place.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/emulator/exec/operations.hpp"
#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

// Lowers one function of a module whose symbols and shared layouts are set and whose `functions`
// hold an entry (possibly not lowered yet) for each function with a body. Throws Fault(unsupported)
// or Fault(invalid_ptx).
void lower(Module& module, Function& function);

// Where variables of a function lie.
using Layout = std::map<std::string, std::uint32_t, std::less<>>;

// An instruction while it is built; rows are virtual (see RowTable).
struct DraftInst : Inst {
  DraftInst(const Inst& inst = {}) : Inst(inst) {}
  MemoryHandlers handlers;                  // of a load or store
  const Operation* described_by = nullptr;  // of a lanewise one; nullptr also for conversions
  const HandlerSet& handler_set() const { return indexed ? handlers.indexed : handlers.plain; }
};

// A block while it is built.
struct DraftBlock {
  Block block;
  std::vector<DraftInst> instructions;
};

// Virtual rows. Below read_only: a register or temporary, to be given a slot; else a prefill.
inline constexpr std::uint32_t read_only = 0x80000000u;

struct RowTable {
  std::vector<RowKind> kinds;  // of registers and temporaries
  std::vector<Prefill> prefills;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> known;  // of prefills

  std::uint32_t temporary(RowKind kind);
  std::uint32_t prefill(const Prefill& wanted);
  RowKind kind(std::uint32_t row) const;
  std::optional<std::uint64_t> constant(std::uint32_t row) const;  // its value, if it is one
};

// The blocks that a block can go on to; a call goes on to what follows it.
std::vector<std::uint32_t> successors(const std::vector<DraftBlock>& blocks, std::size_t block);

class UniformRows;

// Takes the arithmetic of addresses into loads and stores; leaves behind what is then dead.
void fold_addresses(const RowTable& table, UniformRows& uniform, std::vector<DraftBlock>& blocks);

// Takes the quicker handlers of operations whose last source is uniform.
void use_uniform_forms(const UniformRows& uniform, std::vector<DraftBlock>& blocks);

// Lets memory instructions of one block whose addresses are the same but for an amount that all
// lanes share test their shape once.
void share_address_shapes(std::vector<DraftBlock>& blocks);

// Gives registers that are never alive together the same slot, and replaces virtual rows by offsets
// in the frame. `lists` are the rows of vector operands.
void allocate_rows(RowTable& table, std::vector<DraftBlock>& blocks, Function& function);

}  // namespace ladder::emulator
