// The state of lowering one function; its parts are in lowering*.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "common/emulator/exec/collective.hpp"
#include "common/emulator/exec/lowering.hpp"
#include "common/emulator/exec/shared_origins.hpp"

namespace ladder::emulator {

// The parts of an opcode between its dots.
struct Opcode {
  explicit Opcode(std::string_view text);
  bool has(std::string_view part) const;  // past the first
  std::string_view head() const { return parts.front(); }
  std::string_view last() const { return parts.back(); }
  std::vector<std::string_view> parts;
};

class FunctionLowering {
 public:
  FunctionLowering(Module& module, Function& function);
  void run();

 private:
  using Operand = ptx::Operand;
  using Instruction = ptx::Instruction;

  // lowering.cpp: blocks
  void lay_out_memory();
  void find_block_starts();
  void lower_instruction(const Instruction& instruction);
  void begin_block();
  void end_block(End end, const Instruction& instruction);
  void branch_around(const Instruction& instruction);
  void finish();
  void list_effects();
  void observe_block(const DraftBlock& draft, std::uint32_t number);
  bool lower_control(const Instruction& instruction, const Opcode& opcode);
  bool lower_barrier(const Instruction& instruction, const Opcode& opcode);
  void lower_call(const Instruction& instruction);
  CallSite::Slot call_slot(const Operand& operand);

  // lowering_operands.cpp: rows
  void count_definitions();
  bool defined_once(const Operand& operand) const;
  std::uint32_t source(const Operand& operand, RowKind kind, bool is_f32 = false);
  std::uint32_t destination(const Operand& operand, RowKind kind);
  void finish_destination(const Operand& operand, std::uint32_t row, std::string_view extension);
  void set_list(Inst& inst, std::vector<std::uint32_t> list, std::size_t written);
  std::vector<std::uint32_t> wide_halves(const Operand& operand);
  std::uint32_t constant(RowKind kind, std::uint64_t bits);
  std::uint32_t special(const std::string& name, RowKind kind);
  std::uint32_t address_of(const Operand& operand, RowKind kind);
  std::uint32_t register_row(int index) const;
  RowKind register_kind(int index) const;
  bool bind(const Operand& destination, std::uint32_t row);

  // lowering_instructions.cpp: one instruction each
  Inst& emit(const char* operation, std::uint32_t d, std::initializer_list<std::uint32_t> sources);
  DraftInst& append(const DraftInst& inst);
  bool lower_move(const Instruction& instruction, const Opcode& opcode);
  void move_vector(const Instruction& instruction, int bytes);
  bool lower_lanewise(const Instruction& instruction);
  bool lower_logic_with_predicate(const Instruction& instruction, const Opcode& opcode);
  bool lower_compare(const Instruction& instruction, const Opcode& opcode);
  bool compare_packed(const Instruction& instruction, const Operation& operation,
                      std::string_view boolean, std::optional<ptx::Type> result);
  bool lower_carry(const Instruction& instruction, const Opcode& opcode);
  bool lower_convert(const Instruction& instruction);
  bool lower_collective(const Instruction& instruction, const Opcode& opcode);
  void use_shuffle_map(Inst& inst, const Instruction& instruction);
  void emit_operation(const Operation& operation, const Instruction& instruction,
                      std::int64_t immediate, const Operation* described_by = nullptr);

  // lowering_memory.cpp
  bool lower_memory(const Instruction& instruction, const Opcode& opcode);
  void lower_load(const Instruction& instruction, const Opcode& opcode);
  void lower_store(const Instruction& instruction, const Opcode& opcode);
  void lower_atomic(const Instruction& instruction, const Opcode& opcode);
  void lower_wide_exchange(Inst inst, const Instruction& instruction, std::size_t first);
  void lower_vector_atomic(Inst inst, const Instruction& instruction, std::size_t first,
                           int elements);
  bool lower_async_copy(const Instruction& instruction, const Opcode& opcode);
  bool load_parameter(const Instruction& instruction, ptx::Type type, int vector);
  ptx::Space space_of(const Instruction& instruction, const Opcode& opcode) const;
  void set_address(Inst& inst, const Operand& address, ptx::Space space);
  void limit_to_variable(Inst& inst, const Operand& address) const;
  std::uint32_t whole_address(const Operand& address, ptx::Space space);
  const ptx::Variable* parameter(std::string_view name) const;

  // lowering_mbarrier.cpp
  bool lower_mbarrier(const Instruction& instruction, const Opcode& opcode);
  bool lower_copy_arrival(const Instruction& instruction, const Opcode& opcode);
  bool lower_bulk_copy(const Instruction& instruction, const Opcode& opcode);

  // lowering_matrix.cpp
  bool lower_matrix(const Instruction& instruction, const Opcode& opcode);
  bool lower_tiles(const Instruction& instruction, const Opcode& opcode);
  bool lower_product(const Instruction& instruction, const Opcode& opcode);
  bool lower_fragment(const Instruction& instruction, const Opcode& opcode);
  void append_with_lists(Inst inst, const std::vector<Operand>& results, RowKind result_kind,
                         const std::vector<std::vector<Operand>>& sources, RowKind source_kind);

  [[noreturn]] void unsupported(const Instruction& instruction) const;
  [[noreturn]] void invalid(const std::string& what) const;

  Module& module_;
  Function& function_;
  const ptx::Function& source_;
  RowTable rows_;
  SharedOrigins shared_origins_;
  std::vector<DraftBlock> blocks_;
  std::vector<bool> starts_;              // of instructions: a block begins here
  std::vector<std::uint32_t> block_of_;   // of instructions (and the end)
  std::vector<int> definitions_;          // of registers
  std::vector<std::uint32_t> bound_;      // of registers: the row that stands for it
  std::map<int, std::uint32_t> upper_;    // of .b128 registers: the row of the upper half
  Layout local_;                          // offsets of variables
  const Instruction* current_ = nullptr;  // being lowered
  std::uint32_t guard_ = no_row;          // of it
  std::uint32_t carry_ = no_row;          // condition code
};

std::optional<ptx::Type> type_of(std::string_view name);
RowKind row_kind_of(ptx::Type type);
bool is_matrix_instruction(const Opcode& opcode);

}  // namespace ladder::emulator
