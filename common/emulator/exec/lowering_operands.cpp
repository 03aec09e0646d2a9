// Operands to rows: registers, constants, addresses of variables, special registers.
//
// A register that is defined once, by a mov, cvta or ld.param, gets no row of its own: it is bound
// to the row of what it copies.
#include <algorithm>
#include <bit>

#include "common/emulator/exec/function_lowering.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;
using ptx::Space;

bool writes_nothing(std::string_view head) {
  for (const std::string_view name : {"st", "red", "bra", "brx", "exit", "ret", "bar", "barrier",
                                      "membar", "fence", "cp", "prefetch", "prefetchu", "nanosleep",
                                      "trap", "brkpt", "discard", "applypriority", "pmevent"}) {
    if (head == name) return true;
  }
  return false;
}

const Special* find_special(const std::string& name) {
  static const std::map<std::string, Special> table = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%total_smem_size", Special::total_smem_size},
      {"%envreg1", Special::envreg1},
      {"%envreg2", Special::envreg2},
      {"%clusterid.x", Special::ctaid_x},
      {"%clusterid.y", Special::ctaid_y},
      {"%clusterid.z", Special::ctaid_z},
      {"%nclusterid.x", Special::nctaid_x},
      {"%nclusterid.y", Special::nctaid_y},
      {"%nclusterid.z", Special::nctaid_z},
      {"%cluster_ctaid.x", Special::zero},
      {"%cluster_ctaid.y", Special::zero},
      {"%cluster_ctaid.z", Special::zero},
      {"%cluster_ctarank", Special::zero},
      {"%cluster_nctaid.x", Special::one},
      {"%cluster_nctaid.y", Special::one},
      {"%cluster_nctaid.z", Special::one},
      {"%cluster_nctarank", Special::one},
      {"%is_explicit_cluster", Special::zero},
      {"%current_graph_exec", Special::zero},
  };
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

template <class Visit>
void for_defined(const Operand& operand, const Visit& visit) {
  if (operand.kind == Operand::Kind::reg) visit(operand.index);
  for (const Operand& element : operand.elements) {
    if (operand.kind != Operand::Kind::address) for_defined(element, visit);
  }
}

}  // namespace

RowKind row_kind_of(ptx::Type type) {
  if (type == ptx::Type::pred) return RowKind::predicate;
  return ptx::bytes_of(type) >= 8 ? RowKind::wide : RowKind::word;  // b128: two wide rows
}

void FunctionLowering::count_definitions() {
  definitions_.assign(source_.registers.size(), 0);
  bound_.assign(source_.registers.size(), no_row);
  for (const Instruction& instruction : source_.body) {
    if (instruction.operands.empty() || writes_nothing(Opcode(instruction.opcode).head())) continue;
    // A guarded definition leaves other values alive: it counts as several.
    const int weight = instruction.guard < 0 ? 1 : 2;
    for_defined(instruction.operands[0],
                [&](int index) { definitions_.at(static_cast<std::size_t>(index)) += weight; });
  }
}

bool FunctionLowering::defined_once(const Operand& operand) const {
  return operand.kind == Operand::Kind::reg &&
         definitions_.at(static_cast<std::size_t>(operand.index)) == 1;
}

std::uint32_t FunctionLowering::register_row(int index) const {
  const std::uint32_t row = bound_.at(static_cast<std::size_t>(index));
  return row == no_row ? static_cast<std::uint32_t>(index) : row;
}

RowKind FunctionLowering::register_kind(int index) const {
  return rows_.kinds.at(static_cast<std::size_t>(index));
}

// Lets `row` stand for a register that is defined here and nowhere else.
bool FunctionLowering::bind(const Operand& to, std::uint32_t row) {
  if (!defined_once(to) || register_kind(to.index) != rows_.kind(row)) return false;
  // A row that is written again would change under the copy.
  if (row < source_.registers.size() && definitions_[row] != 1) return false;
  if (row >= source_.registers.size() && row < read_only) return false;
  bound_[static_cast<std::size_t>(to.index)] = row;
  return true;
}

std::uint32_t FunctionLowering::constant(RowKind kind, std::uint64_t bits) {
  Prefill row;
  row.row_bytes = kind == RowKind::wide ? 8 : kind == RowKind::word ? 4 : 0;
  row.value = kind == RowKind::word ? bits & 0xffffffffu : bits;
  return rows_.prefill(row);
}

std::uint32_t FunctionLowering::special(const std::string& name, RowKind kind) {
  if (const Special* found = find_special(name)) {
    Prefill row;
    row.kind = Prefill::Kind::special;
    row.row_bytes = kind == RowKind::wide ? 8 : 4;
    row.value = static_cast<std::uint64_t>(*found);
    return rows_.prefill(row);
  }
  if (name.rfind("%envreg", 0) == 0 || name.rfind("%pm", 0) == 0) return constant(kind, 0);
  const Collective* clock = find_collective("_special." + name);
  if (!clock) unsupported(*current_);
  Inst inst;
  inst.some = inst.all = clock->handler;
  inst.d = rows_.temporary(clock->result);
  const std::uint32_t value = append(inst).d;
  if (clock->result == kind) return value;
  const std::uint32_t converted = rows_.temporary(kind);
  emit(kind == RowKind::wide ? "_extend.u32" : "_low", converted, {value});
  return converted;
}

const ptx::Variable* FunctionLowering::parameter(std::string_view name) const {
  for (const ptx::Variable& variable : source_.parameters) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

// The row of a variable's address (in its space), or of a function's.
std::uint32_t FunctionLowering::address_of(const Operand& operand, RowKind kind) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  Prefill row;
  row.row_bytes = kind == RowKind::wide ? 8 : 4;
  if (const auto local = local_.find(operand.name); local != local_.end()) {
    row.kind = Prefill::Kind::local;
    row.value = local->second + offset;
    return rows_.prefill(row);
  }
  if (source_.entry && parameter(operand.name)) {
    const auto& attributes = function_.attributes;
    std::size_t number = 0;
    while (source_.parameters[number].name != operand.name) ++number;
    row.kind = Prefill::Kind::parameter_address;
    function_.needs_parameter_memory = true;
    row.value = attributes.parameter_offsets.at(number) + offset;
    return rows_.prefill(row);
  }
  const auto& shared = function_.shared;
  if (const auto found = shared.find(operand.name); found != shared.end()) {
    return constant(kind, found->second.begin + offset);
  }
  const auto is_dynamic_shared = [&](const ptx::Variable& variable) {
    return variable.name == operand.name && variable.space == Space::shared;
  };
  if (std::ranges::any_of(source_.variables, is_dynamic_shared) ||
      std::ranges::any_of(module_.source.variables, is_dynamic_shared)) {
    if (source_.entry) return constant(kind, dynamic_shared_start(function_) + offset);
    row.kind = Prefill::Kind::dynamic_shared;  // depends on the kernel
    row.value = offset;
    return rows_.prefill(row);
  }
  if (const auto symbol = module_.symbols.find(operand.name); symbol != module_.symbols.end()) {
    return constant(kind, symbol->second.address + offset);
  }
  if (const Function* function = module_.find(operand.name)) {
    return constant(kind, code_window + static_cast<std::uint64_t>(function->index));
  }
  invalid("nothing is called '" + operand.name + "'");
}

std::uint32_t FunctionLowering::source(const Operand& operand, RowKind kind, bool is_f32) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      const std::uint32_t row = register_row(operand.index);
      const RowKind have = rows_.kind(row);
      if (have == kind && !operand.negated) return row;
      const std::uint32_t converted = rows_.temporary(kind);
      if (have == kind) {
        emit(kind == RowKind::predicate ? "not.pred" : "not.b32", converted, {row});
      } else if (have == RowKind::predicate || kind == RowKind::predicate) {
        invalid("a predicate and a number are mixed");
      } else {
        emit(kind == RowKind::wide ? "_extend.u32" : "_low", converted, {row});
      }
      return converted;
    }
    case Operand::Kind::immediate:
      return constant(kind, operand.bits);
    case Operand::Kind::immediate_f32:
      if (kind == RowKind::wide) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
        return constant(kind, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      }
      return constant(kind, operand.bits);
    case Operand::Kind::immediate_f64:
      if (is_f32) {
        const double value = std::bit_cast<double>(operand.bits);
        return constant(kind, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      }
      return constant(kind, operand.bits);
    case Operand::Kind::special:
      return special(operand.name, kind);
    case Operand::Kind::variable:
    case Operand::Kind::function:
      return address_of(operand, kind);
    default:
      unsupported(*current_);
  }
}

// The rows of the two halves of a .b128 register, or of {low, high}.
std::vector<std::uint32_t> FunctionLowering::wide_halves(const Operand& operand) {
  if (operand.kind == Operand::Kind::vector) {
    if (operand.elements.size() != 2) invalid("a .b128 has two halves");
    std::vector<std::uint32_t> rows;
    for (const Operand& half : operand.elements) {
      const bool sink = half.kind == Operand::Kind::sink;
      if (!sink &&
          (half.kind != Operand::Kind::reg || register_kind(half.index) != RowKind::wide)) {
        unsupported(*current_);
      }
      rows.push_back(sink ? rows_.temporary(RowKind::wide) : register_row(half.index));
    }
    return rows;
  }
  if (operand.kind == Operand::Kind::sink) {
    return {rows_.temporary(RowKind::wide), rows_.temporary(RowKind::wide)};
  }
  if (operand.kind != Operand::Kind::reg ||
      source_.registers.at(static_cast<std::size_t>(operand.index)).type != ptx::Type::b128) {
    unsupported(*current_);
  }
  const auto [found, fresh] = upper_.try_emplace(operand.index, 0u);
  if (fresh) found->second = rows_.temporary(RowKind::wide);
  return {static_cast<std::uint32_t>(operand.index), found->second};
}

// Rows of vector operands: the first `written` are results.
void FunctionLowering::set_list(Inst& inst, std::vector<std::uint32_t> list, std::size_t written) {
  inst.list_number = static_cast<std::uint32_t>(function_.lists.size());
  inst.list_size = static_cast<std::uint8_t>(list.size());
  inst.list_written = static_cast<std::uint8_t>(written);
  function_.lists.push_back(std::move(list));
  inst.list = function_.lists.back().data();
}

// The row to write; if the register is of another width, finish_destination brings it over.
std::uint32_t FunctionLowering::destination(const Operand& operand, RowKind kind) {
  if (operand.kind == Operand::Kind::sink) return rows_.temporary(kind);
  if (operand.kind != Operand::Kind::reg) unsupported(*current_);
  if (register_kind(operand.index) == kind) return static_cast<std::uint32_t>(operand.index);
  return rows_.temporary(kind);
}

void FunctionLowering::finish_destination(const Operand& operand, std::uint32_t row,
                                          std::string_view extension) {
  if (operand.kind != Operand::Kind::reg || row == static_cast<std::uint32_t>(operand.index)) {
    return;
  }
  const auto to = static_cast<std::uint32_t>(operand.index);
  if (rows_.kind(row) == RowKind::wide) {
    emit("_low", to, {row});
  } else {
    const std::string name = "_extend." + std::string(extension);
    emit(find_operation(name) ? name.c_str() : "_extend.u32", to, {row});
  }
}

}  // namespace ladder::emulator
