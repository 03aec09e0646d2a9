// Blocks, control flow, calls and barriers.
#include "common/emulator/exec/lowering.hpp"

#include <algorithm>
#include <cstring>

#include "common/emulator/exec/builtins.hpp"
#include "common/emulator/exec/effects.hpp"
#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/liveness.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/sync_sites.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/exec/uniform_rows.hpp"
#include "common/emulator/exec/written_parameters.hpp"

namespace ladder::emulator {

namespace {

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
  alignment = std::max(alignment, 1u);
  return (value + alignment - 1) / alignment * alignment;
}

// Runs an instruction with the lanes whose predicate holds.
void guarded(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, rows + inst.guard, 4);
  mask &= inst.guard_negated ? ~bits : bits;
  if (mask == all_lanes) {
    inst.inner_all(rows, inst, warp, mask);
  } else if (mask != 0) {
    inst.inner_some(rows, inst, warp, mask);
  }
}

bool ends_block(const Opcode& opcode) {
  const auto head = opcode.head();
  return head == "bra" || head == "brx" || head == "exit" || head == "ret" || head == "call" ||
         ((head == "bar" || head == "barrier") && !opcode.has("warp"));
}

bool begins_block(const Opcode& opcode) {
  const auto head = opcode.head();
  return head == "shfl" || head == "vote" || head == "match" || head == "redux" ||
         head == "elect" || head == "call" || (head == "bar" && opcode.has("warp"));
}

// A collective under a guard is branched around, so that its lanes can wait for their members.
bool branches_around(const ptx::Instruction& instruction, const Opcode& opcode) {
  return instruction.guard >= 0 && begins_block(opcode) && opcode.head() != "call";
}

// Of all variables in shared memory that a function may name.
std::vector<std::string_view> shared_names(const ptx::Module& module,
                                           const ptx::Function& function) {
  std::vector<std::string_view> names;
  for (const auto* variables : {&function.variables, &module.variables}) {
    for (const ptx::Variable& variable : *variables) {
      if (variable.space == ptx::Space::shared) names.push_back(variable.name);
    }
  }
  return names;
}

// The clock counts by blocks, so that one between two readings of it must begin.
bool reads_clock(const ptx::Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::special && operand.name.rfind("%clock", 0) == 0;
  });
}

}  // namespace

Opcode::Opcode(std::string_view text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dot = std::min(text.find('.', at), text.size());
    parts.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
}

bool Opcode::has(std::string_view part) const {
  return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

FunctionLowering::FunctionLowering(Module& module, Function& function)
    : module_(module),
      function_(function),
      source_(*function.source),
      shared_origins_(source_, shared_names(module.source, source_)) {}

void FunctionLowering::unsupported(const Instruction& instruction) const {
  const std::string where = place(function_, instruction);
  throw Fault(
      FaultKind::unsupported,
      "unsupported instruction '" + instruction.opcode + "' at " +
          (where.empty() ? "line " + std::to_string(instruction.line) + " of the PTX" : where) +
          ": " + text_of(source_, instruction) + ", in " + function_.display_name);
}

void FunctionLowering::invalid(const std::string& what) const {
  throw Fault(FaultKind::invalid_ptx,
              "line " + std::to_string(current_ ? current_->line : 0) + ": " + what +
                  (current_ ? ", in '" + text_of(source_, *current_) + "'" : "") + " of " +
                  function_.display_name);
}

void FunctionLowering::lay_out_memory() {
  constexpr std::uint64_t most_local = 512 << 10;  // bytes a thread can have
  std::uint32_t local = 0;
  const auto place_local = [&](const ptx::Variable& variable) {
    local = align_up(local, variable.alignment);
    if (variable.bytes > most_local || local + variable.bytes > most_local) {
      throw Fault(FaultKind::invalid_ptx,
                  function_.display_name + ": '" + variable.name + "' does not fit: a thread has " +
                      std::to_string(most_local) + " bytes of local memory");
    }
    local_[variable.name] = local;
    local += static_cast<std::uint32_t>(variable.bytes);
    return CallSite::Slot{local_[variable.name], static_cast<std::uint32_t>(variable.bytes)};
  };
  if (!source_.entry) {
    for (const auto& variable : source_.returns) function_.results.push_back(place_local(variable));
    for (const auto& variable : source_.parameters) {
      function_.parameters.push_back(place_local(variable));
    }
  }
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.space != ptx::Space::shared) place_local(variable);
  }
  function_.local_bytes = align_up(local, 16);
}

void FunctionLowering::find_block_starts() {
  const std::size_t n = source_.body.size();
  starts_.assign(n + 1, false);
  starts_[0] = true;
  for (const ptx::Label& label : source_.labels) {
    starts_[std::min(static_cast<std::size_t>(label.instruction), n)] = true;
  }
  bool whole_warp = false;  // the block waited for all lanes, so that the next one need not
  for (std::size_t i = 0; i < n; ++i) {
    const Opcode opcode(source_.body[i].opcode);
    if (begins_block(opcode) || reads_clock(source_.body[i])) starts_[i] = true;
    if (starts_[i]) whole_warp = false;
    if (is_matrix_instruction(opcode) && source_.body[i].guard < 0 && !whole_warp) {
      starts_[i] = whole_warp = true;
    }
    if (ends_block(opcode) || branches_around(source_.body[i], opcode)) starts_[i + 1] = true;
  }
  block_of_.assign(n + 1, 0);
  std::uint32_t number = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    if (starts_[i] && i > 0) ++number;
    block_of_[i] = number;
    if (i < n && branches_around(source_.body[i], Opcode(source_.body[i].opcode))) ++number;
  }
}

void FunctionLowering::begin_block() {
  blocks_.emplace_back();
}

void FunctionLowering::end_block(End end, const Instruction& instruction) {
  Block& block = blocks_.back().block;
  block.end = end;
  block.guard = guard_;
  block.end_negated = instruction.guard_negated;
  block.end_source = &instruction;
}

void FunctionLowering::run() {
  lay_out_memory();
  for (const ptx::Register& reg : source_.registers) rows_.kinds.push_back(row_kind_of(reg.type));
  count_definitions();
  find_block_starts();
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    if (starts_[i]) begin_block();
    if (blocks_.back().block.count == 0) blocks_.back().block.body = static_cast<std::uint32_t>(i);
    current_ = &source_.body[i];
    ++blocks_.back().block.count;
    lower_instruction(*current_);
  }
  // The end of the body returns.
  if (starts_[source_.body.size()]) begin_block();
  if (blocks_.empty()) begin_block();
  if (blocks_.back().block.end == End::fall) blocks_.back().block.end = End::ret;
  current_ = nullptr;
  finish();
}

void FunctionLowering::lower_instruction(const Instruction& instruction) {
  guard_ = instruction.guard < 0 ? no_row : register_row(instruction.guard);
  const Opcode opcode(instruction.opcode);
  if (branches_around(instruction, opcode)) branch_around(instruction);
  bool done = false;
  try {
    done = lower_control(instruction, opcode) || lower_barrier(instruction, opcode) ||
           lower_move(instruction, opcode) || lower_memory(instruction, opcode) ||
           lower_mbarrier(instruction, opcode) || lower_compare(instruction, opcode) ||
           lower_carry(instruction, opcode) || lower_convert(instruction) ||
           lower_collective(instruction, opcode) || lower_matrix(instruction, opcode) ||
           lower_logic_with_predicate(instruction, opcode) || lower_lanewise(instruction);
  } catch (const std::out_of_range&) {
    invalid("an operand is missing or of another kind");
  }
  if (!done) unsupported(instruction);
}

void FunctionLowering::branch_around(const Instruction& instruction) {
  end_block(End::branch, instruction);
  Block& branch = blocks_.back().block;
  branch.end_negated = !branch.end_negated;
  branch.target = block_of_[static_cast<std::size_t>(&instruction - source_.body.data()) + 1];
  begin_block();
  guard_ = no_row;
}

bool FunctionLowering::lower_control(const Instruction& instruction, const Opcode& opcode) {
  const auto head = opcode.head();
  const auto block_at = [&](int index) {
    return block_of_[std::min(static_cast<std::size_t>(index), block_of_.size() - 1)];
  };
  if (head == "bra") {
    if (instruction.operands.empty() || instruction.operands[0].kind != Operand::Kind::label) {
      unsupported(instruction);
    }
    end_block(End::branch, instruction);
    blocks_.back().block.target = block_at(instruction.operands[0].index);
    return true;
  }
  if (head == "brx") {
    if (instruction.operands.size() != 2 ||
        instruction.operands[1].kind != Operand::Kind::branch_targets) {
      unsupported(instruction);
    }
    const std::uint32_t index = source(instruction.operands[0], RowKind::word);
    end_block(End::branch_indexed, instruction);
    Block& block = blocks_.back().block;
    block.index = index;
    const auto number = static_cast<std::size_t>(instruction.operands[1].index);
    for (const int target : source_.branch_targets.at(number).targets) {
      block.targets.push_back(block_at(target));
    }
    return true;
  }
  if (head == "exit" || head == "ret") {
    end_block(head == "exit" ? End::exit : End::ret, instruction);
    return true;
  }
  if (head == "call") {
    lower_call(instruction);
    return true;
  }
  return false;
}

CallSite::Slot FunctionLowering::call_slot(const Operand& operand) {
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.name == operand.name) {
      return {local_.at(variable.name), static_cast<std::uint32_t>(variable.bytes)};
    }
  }
  // A register or constant argument: through memory of its own.
  if (operand.kind == Operand::Kind::variable) invalid("unknown argument '" + operand.name + "'");
  const RowKind kind =
      operand.kind == Operand::Kind::reg ? register_kind(operand.index) : RowKind::word;
  const std::uint32_t bytes = kind == RowKind::wide ? 8 : 4;
  const CallSite::Slot slot{align_up(function_.local_bytes, bytes), bytes};
  function_.local_bytes = align_up(slot.offset + bytes, 16);
  return slot;
}

void FunctionLowering::lower_call(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() < 3) invalid("a call needs {returns, function, arguments}");
  CallSite call;
  call.source = &instruction;
  for (const Operand& operand : operands[0].elements) {
    if (operand.kind != Operand::Kind::variable) unsupported(instruction);
    call.results.push_back(call_slot(operand));
  }
  for (const Operand& operand : operands[2].elements) {
    call.arguments.push_back(call_slot(operand));
    if (operand.kind == Operand::Kind::variable) continue;
    const RowKind kind = call.arguments.back().bytes == 8 ? RowKind::wide : RowKind::word;
    Inst store;
    store.all = store.some =
        store_handlers(ptx::Space::local, static_cast<int>(call.arguments.back().bytes), 0)
            .plain.own;
    store.space = static_cast<std::uint8_t>(ptx::Space::local);
    store.s[0] =
        rows_.prefill({.kind = Prefill::Kind::local, .value = call.arguments.back().offset});
    store.s[1] = source(operand, kind);
    append(store);
  }
  if (operands[1].kind == Operand::Kind::reg) {
    call.target = source(operands[1], RowKind::wide);
    function_.calls_indirectly = true;
  } else {
    call.callee = module_.find(operands[1].name);
    if (!call.callee) call.builtin = find_builtin(operands[1].name);
    if (!call.callee && call.builtin == Builtin::none) {
      const std::string where = place(function_, instruction);
      throw Fault(FaultKind::unsupported,
                  "unsupported call of '" + demangle(operands[1].name) + "', which has no body" +
                      (where.empty() ? "" : " at " + where) + ", in " + function_.display_name);
    }
  }
  function_.calls_functions = function_.attributes.may_wait = true;
  end_block(End::call, instruction);
  blocks_.back().block.call = static_cast<std::uint32_t>(function_.calls.size());
  function_.calls.push_back(std::move(call));
}

// bar.sync, bar.arrive, bar.red and their barrier.cta spellings.
bool FunctionLowering::lower_barrier(const Instruction& instruction, const Opcode& opcode) {
  if ((opcode.head() != "bar" && opcode.head() != "barrier") || opcode.has("warp")) return false;
  if (opcode.has("cluster")) {
    end_block(End::barrier, instruction);
    blocks_.back().block.barrier_kind = opcode.has("wait") ? 'W' : 'A';
    return true;
  }
  const auto& operands = instruction.operands;
  const bool reduces = opcode.has("red");
  Block shape;
  std::size_t next = 0;
  if (reduces) {
    if (operands.size() < 3) invalid("a barrier reduction needs a result, a barrier, a predicate");
    const bool counts = opcode.has("popc");
    shape.barrier_kind = counts ? 'p' : opcode.has("and") ? '&' : '|';
    shape.barrier_result =
        destination(operands[next++], counts ? RowKind::word : RowKind::predicate);
  } else if (opcode.has("arrive")) {
    shape.barrier_kind = 'a';
  } else if (!opcode.has("sync")) {
    return false;
  }
  if (next < operands.size()) shape.barrier_id = source(operands[next++], RowKind::word);
  if (operands.size() - next > (reduces ? 1u : 0u)) {
    shape.barrier_count = source(operands[next++], RowKind::word);
  }
  if (reduces) shape.barrier_source = source(operands[next], RowKind::predicate);
  end_block(End::barrier, instruction);
  Block& block = blocks_.back().block;
  block.barrier_kind = shape.barrier_kind;
  block.barrier_id = shape.barrier_id;
  block.barrier_count = shape.barrier_count;
  block.barrier_source = shape.barrier_source;
  block.barrier_result = shape.barrier_result;
  const bool first = shape.barrier_id == no_row || rows_.constant(shape.barrier_id) == 0u;
  block.plain_barrier =
      first && shape.barrier_kind == 's' && shape.barrier_count == no_row && guard_ == no_row;
  return true;
}

namespace {

void set_blocks(const std::vector<DraftBlock>& drafts, const std::vector<Inst>& instructions,
                const std::vector<std::size_t>& begins, std::vector<Block>& blocks) {
  blocks.resize(drafts.size());
  for (std::size_t b = 0; b < drafts.size(); ++b) {
    Block& block = blocks[b] = drafts[b].block;
    block.first = instructions.data() + begins[b];
    block.last =
        instructions.data() + (b + 1 < begins.size() ? begins[b + 1] : instructions.size());
    if (block.end == End::branch) block.taken = blocks.data() + block.target;
    if (block.guard == no_row) continue;
    block.guard_row = block.guard;
    block.guard_flip = block.end_negated ? all_lanes : 0;
  }
}

void wrap_guard(Inst& inst) {
  if (inst.guard == no_row) return;
  inst.inner_some = inst.some;
  inst.inner_all = inst.all;
  inst.some = inst.all = &guarded;
}

}  // namespace

// For counters: what instructions count for, and where they stand.
void FunctionLowering::list_effects() {
  std::map<std::pair<std::string, int>, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < source_.body.size(); ++i) {
    const Instruction& instruction = source_.body[i];
    const auto line = source_line(function_, instruction);
    const auto [known, is_new] =
        numbers.try_emplace(line, static_cast<std::uint32_t>(function_.lines.size()));
    if (is_new) function_.lines.push_back(line);
    function_.line_of.push_back(known->second);
    std::uint32_t site = no_row;
    for (Effect effect : effects_of(instruction.opcode)) {
      if (instruction.guard >= 0 && site == no_row) site = function_.caches++;
      effect.instruction = i;
      effect.site = site;
      function_.effects.push_back(effect);
    }
  }
}

void FunctionLowering::observe_block(const DraftBlock& draft, std::uint32_t number) {
  std::vector<Inst>& observed = function_.observed;
  const bool passes = !function_.passed_by.empty() && !function_.passed_by[number].empty();
  observed.push_back(passes ? entry_instruction_past(number) : entry_instruction(number));
  const Instruction* counted = nullptr;
  for (const Inst& inst : draft.instructions) {
    if (inst.guard != no_row && inst.source != nullptr && inst.source != counted) {
      counted = inst.source;
      const auto index = static_cast<std::uint32_t>(inst.source - source_.body.data());
      const auto effect = std::lower_bound(
          function_.effects.begin(), function_.effects.end(), index,
          [](const Effect& listed, std::uint32_t wanted) { return listed.instruction < wanted; });
      if (effect != function_.effects.end() && effect->instruction == index) {
        observed.push_back(counting_instruction(effect->site, inst));
        wrap_guard(observed.back());
      }
    }
    observed.push_back(inst);
    Inst& added = observed.back();
    add_observing(added);
    added.one_address = added.one_address && combines_lanes(source_, *added.source);
    wrap_guard(added);
  }
}

void FunctionLowering::finish() {
  UniformRows uniform(rows_, function_);
  uniform.hoist(blocks_);
  fold_addresses(rows_, uniform, blocks_);
  remove_dead(rows_, blocks_, function_);
  use_uniform_forms(uniform, blocks_);
  share_address_shapes(blocks_);
  for (DraftBlock& block : blocks_) {
    for (DraftInst& inst : block.instructions)
      inst.one_address = inst.bytes != 0 && uniform.has(inst.s[0]);
  }
  allocate_rows(rows_, blocks_, function_);
  find_sync_sites(blocks_, function_);
  list_effects();
  if (source_.entry) {
    function_.written =
        find_written_parameters(module_.source, source_, function_.attributes.parameter_offsets);
  }
  std::vector<std::size_t> begins, observed_begins;
  for (const DraftBlock& draft : blocks_) {
    observed_begins.push_back(function_.observed.size());
    observe_block(draft, static_cast<std::uint32_t>(begins.size()));
    begins.push_back(function_.instructions.size());
    for (const Inst& inst : draft.instructions) {
      function_.instructions.push_back(inst);
      wrap_guard(function_.instructions.back());
    }
  }
  set_blocks(blocks_, function_.instructions, begins, function_.blocks);
  set_blocks(blocks_, function_.observed, observed_begins, function_.observed_blocks);
}

void lower(Module& module, Function& function) {
  FunctionLowering(module, function).run();
}

}  // namespace ladder::emulator
