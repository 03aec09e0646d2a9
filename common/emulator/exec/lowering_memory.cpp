// ld, st, atom, red, cp.async: state space, type and shape from the modifiers. Cache hints,
// .volatile, .relaxed, .acquire, .release and scopes do not change what a lane reads or writes
// here: the host's memory order is at least as strong for one access, and fences are executed.
#include <map>

#include "common/emulator/exec/async_copy.hpp"
#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

int vector_size(const Opcode& opcode) {
  if (opcode.has("v8")) return 8;
  return opcode.has("v4") ? 4 : opcode.has("v2") ? 2 : 0;
}

// Waiting for somebody else looks like this.
bool may_poll(const Opcode& opcode) {
  return opcode.has("volatile") || opcode.has("acquire") || opcode.has("relaxed") ||
         opcode.has("mmio");
}

}  // namespace

std::optional<Type> type_of(std::string_view name) {
  static const auto table = [] {
    std::map<std::string_view, Type> map;
    for (int t = static_cast<int>(Type::pred); t <= static_cast<int>(Type::f64); ++t) {
      map.emplace(ptx::name_of(static_cast<Type>(t)), static_cast<Type>(t));
    }
    return map;
  }();
  const auto found = table.find(name);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

Space FunctionLowering::space_of(const Instruction& instruction, const Opcode& opcode) const {
  for (const std::string_view part : opcode.parts) {
    if (part == "global" || part == "const") return Space::global;
    // A block is a cluster of its own: larger ones cannot be launched.
    if (part == "shared" || part == "shared::cta" || part == "shared::cluster") {
      return Space::shared;
    }
    if (part == "local") return Space::local;
    if (part == "param" || part == "param::entry" || part == "param::func") {
      // Parameters of a kernel lie in global memory, those of functions on the stack; a kernel
      // that calls has both.
      for (const Operand& operand : instruction.operands) {
        if (operand.kind != Operand::Kind::address || operand.elements.empty()) continue;
        const Operand& base = operand.elements[0];
        if (base.kind == Operand::Kind::variable && local_.contains(base.name)) return Space::local;
      }
      return source_.entry ? Space::global : Space::local;
    }
  }
  return Space::generic;
}

void FunctionLowering::set_address(Inst& inst, const Operand& address, Space space) {
  const RowKind kind =
      space == Space::shared || space == Space::local ? RowKind::word : RowKind::wide;
  if (address.kind != Operand::Kind::address || address.elements.empty()) {
    inst.s[0] = source(address, kind);  // a variable without brackets
  } else {
    inst.s[0] = source(address.elements[0], kind);
    inst.immediate = address.offset;
    if (address.elements.size() > 1) unsupported(*current_);
  }
  inst.space = static_cast<std::uint8_t>(space);
  inst.cache = function_.caches++;
  if (space == Space::shared) limit_to_variable(inst, address);
}

void FunctionLowering::limit_to_variable(Inst& inst, const Operand& address) const {
  const std::string_view name = shared_origins_.of(address);
  if (name.empty()) return;
  if (const auto found = function_.shared.find(name); found != function_.shared.end()) {
    inst.shared_begin = found->second.begin;
    inst.shared_end = found->second.end();
  } else if (source_.entry) {  // dynamic shared memory lies behind the static
    inst.shared_begin = dynamic_shared_start(function_);
  }
}

// The address with its offset added.
std::uint32_t FunctionLowering::whole_address(const Operand& address, Space space) {
  Inst inst;
  set_address(inst, address, space);
  if (inst.immediate == 0) return inst.s[0];
  const RowKind kind = space == Space::shared ? RowKind::word : RowKind::wide;
  const std::uint32_t sum = rows_.temporary(kind);
  emit(kind == RowKind::word ? "add.u32" : "add.u64", sum,
       {inst.s[0], constant(kind, static_cast<std::uint64_t>(inst.immediate))});
  return sum;
}

bool FunctionLowering::lower_memory(const Instruction& instruction, const Opcode& opcode) {
  const auto head = opcode.head();
  if (head == "ld" || head == "ldu") {
    lower_load(instruction, opcode);
  } else if (head == "st") {
    lower_store(instruction, opcode);
  } else if (head == "atom" || head == "red") {
    lower_atomic(instruction, opcode);
  } else if (head == "cp") {
    return lower_async_copy(instruction, opcode);
  } else {
    return false;
  }
  return true;
}

// A kernel's parameter at a fixed place is a row that was filled at the launch.
bool FunctionLowering::load_parameter(const Instruction& instruction, Type type, int vector) {
  const auto& operands = instruction.operands;
  if (!source_.entry || operands[1].kind != Operand::Kind::address) return false;
  const Operand& base = operands[1].elements.at(0);
  if (base.kind != Operand::Kind::variable || !parameter(base.name)) return false;
  std::size_t number = 0;
  while (source_.parameters[number].name != base.name) ++number;
  const std::size_t begin = function_.attributes.parameter_offsets.at(number);
  const auto offset = static_cast<std::uint64_t>(operands[1].offset + base.offset);
  const int bytes = ptx::bytes_of(type);
  const int elements = std::max(vector, 1);
  if (offset + static_cast<std::uint64_t>(bytes * elements) > source_.parameters[number].bytes) {
    invalid("a parameter is read past its end");
  }
  for (int e = 0; e < elements; ++e) {
    const Operand& to =
        vector > 0 ? operands[0].elements.at(static_cast<std::size_t>(e)) : operands[0];
    if (to.kind != Operand::Kind::reg) continue;
    Prefill row;
    row.kind = Prefill::Kind::parameter;
    row.row_bytes = register_kind(to.index) == RowKind::wide ? 8 : 4;
    row.value_bytes = static_cast<std::uint8_t>(bytes);
    row.is_signed = is_signed(type);
    row.value = begin + offset + static_cast<std::uint64_t>(e * bytes);
    const std::uint32_t from = rows_.prefill(row);
    if (guard_ == no_row && bind(to, from)) continue;
    emit(row.row_bytes == 8 ? "_copy.64" : "_copy.32", static_cast<std::uint32_t>(to.index),
         {from});
  }
  return true;
}

void FunctionLowering::lower_load(const Instruction& instruction, const Opcode& opcode) {
  const auto type = type_of(opcode.last());
  const auto& operands = instruction.operands;
  if (!type || operands.size() < 2) unsupported(instruction);
  const bool is_b128 = *type == Type::b128;
  const int vector = is_b128 ? 2 : vector_size(opcode);
  if (is_b128 && (opcode.has("param") || vector_size(opcode) != 0)) unsupported(instruction);
  if (opcode.has("param") && load_parameter(instruction, *type, vector)) return;
  const Space space = space_of(instruction, opcode);
  const int bytes = std::min(ptx::bytes_of(*type), 8);  // a b128 is two b64
  const RowKind kind = row_kind_of(*type);
  DraftInst inst;
  inst.handlers =
      load_handlers(space, bytes, is_signed(*type) ? Extend::sign : Extend::zero, vector);
  inst.all = inst.some = inst.handlers.plain.own;
  if (may_poll(opcode)) {
    function_.attributes.may_wait = true;
    Inst poll;
    poll.all = poll.some = find_collective("_poll")->handler;
    append(poll);
  }
  inst.bytes = static_cast<std::uint8_t>(bytes);
  inst.foldable = true;
  set_address(inst, operands[1], space);
  if (vector == 0) {
    inst.d = destination(operands[0], kind);
  } else if (is_b128) {
    set_list(inst, wide_halves(operands[0]), 2);
  } else {
    if (operands[0].elements.size() != static_cast<std::size_t>(vector)) {
      invalid("the vector has another size");
    }
    std::vector<std::uint32_t> list;
    for (const Operand& element : operands[0].elements) {
      list.push_back(element.kind == Operand::Kind::sink ? no_row : destination(element, kind));
    }
    set_list(inst, list, list.size());
  }
  append(inst);
  if (vector == 0) {
    finish_destination(operands[0], inst.d, opcode.last());
    return;
  }
  for (std::size_t e = 0; e < operands[0].elements.size(); ++e) {
    const std::uint32_t row = function_.lists[inst.list_number][e];
    if (row != no_row) finish_destination(operands[0].elements[e], row, opcode.last());
  }
}

void FunctionLowering::lower_store(const Instruction& instruction, const Opcode& opcode) {
  if (opcode.has("async") || opcode.has("bulk")) unsupported(instruction);
  const auto type = type_of(opcode.last());
  const auto& operands = instruction.operands;
  if (!type || operands.size() < 2) unsupported(instruction);
  const bool is_b128 = *type == Type::b128;
  const int vector = is_b128 ? 2 : vector_size(opcode);
  if (is_b128 && vector_size(opcode) != 0) unsupported(instruction);
  const Space space = space_of(instruction, opcode);
  const int bytes = std::min(ptx::bytes_of(*type), 8);
  const RowKind kind = row_kind_of(*type);
  const bool is_f32 = *type == Type::f32;
  DraftInst inst;
  inst.handlers = store_handlers(space, bytes, vector);
  inst.all = inst.some = inst.handlers.plain.own;
  inst.bytes = static_cast<std::uint8_t>(bytes);
  inst.foldable = true;
  set_address(inst, operands[0], space);
  if (vector == 0) {
    inst.s[1] = source(operands[1], kind, is_f32);
  } else if (is_b128) {
    set_list(inst, wide_halves(operands[1]), 0);
  } else {
    if (operands[1].elements.size() != static_cast<std::size_t>(vector)) {
      invalid("the vector has another size");
    }
    std::vector<std::uint32_t> list;
    for (const Operand& element : operands[1].elements) {
      list.push_back(source(element, kind, is_f32));
    }
    set_list(inst, std::move(list), 0);
  }
  append(inst);
}

// atom{.sem}{.scope}{.space}.op{.level}.type d, [a], b{, c}; red without d.
void FunctionLowering::lower_atomic(const Instruction& instruction, const Opcode& opcode) {
  const bool returns = opcode.head() == "atom";
  const auto& operands = instruction.operands;
  if (opcode.has("async")) unsupported(instruction);
  std::string_view operation;
  for (const std::string_view part :
       {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
    if (opcode.has(part)) operation = part;
  }
  const auto type = type_of(opcode.last());
  Handler handler = type ? atomic_handler(operation, opcode.last()) : nullptr;
  if (!handler || operands.size() < (returns ? 3u : 2u)) unsupported(instruction);
  if (returns) function_.attributes.may_wait = true;
  const Space space = space_of(instruction, opcode);
  const RowKind kind = row_kind_of(*type);
  const bool is_f32 = *type == Type::f32;
  const std::size_t first = returns ? 1 : 0;
  Inst inst;
  inst.all = inst.some = handler;
  inst.bytes = static_cast<std::uint8_t>(ptx::bytes_of(*type));
  inst.foldable = true;
  set_address(inst, operands[first], space);
  if (*type == Type::b128) return lower_wide_exchange(inst, instruction, first);
  if (vector_size(opcode) != 0) {
    return lower_vector_atomic(inst, instruction, first, vector_size(opcode));
  }
  inst.s[1] = source(operands[first + 1], kind, is_f32);
  if (operation == "cas") {
    if (operands.size() < first + 3) unsupported(instruction);
    inst.s[2] = source(operands[first + 2], kind);
  }
  if (returns && operands[0].kind != Operand::Kind::sink) inst.d = destination(operands[0], kind);
  append(inst);
  if (inst.d != no_row) finish_destination(operands[0], inst.d, opcode.last());
}

// atom.exch.b128 and atom.cas.b128: see wide_exchange in atomics.cpp.
void FunctionLowering::lower_wide_exchange(Inst inst, const Instruction& instruction,
                                           std::size_t first) {
  const auto& operands = instruction.operands;
  std::vector<std::uint32_t> list;
  for (std::size_t i = first + 1; i < operands.size(); ++i) {
    for (const std::uint32_t row : wide_halves(operands[i])) list.push_back(row);
  }
  const std::size_t needed = Opcode(instruction.opcode).has("cas") ? 4 : 2;
  if (first != 1 || list.size() != needed) unsupported(instruction);
  inst.bytes = static_cast<std::uint8_t>(16 / list.size());  // times the list: 16
  set_list(inst, std::move(list), 0);
  if (operands[0].kind != Operand::Kind::sink) {
    const std::vector<std::uint32_t> to = wide_halves(operands[0]);
    inst.d = to[0];
    inst.e = to[1];
  }
  append(inst);
}

// Of vectors each element is updated by itself; observers see the first, as wide as the whole.
void FunctionLowering::lower_vector_atomic(Inst inst, const Instruction& instruction,
                                           std::size_t first, int elements) {
  const auto& operands = instruction.operands;
  const auto count = static_cast<std::size_t>(elements);
  const auto& values = operands.at(first + 1).elements;
  const bool returns = first == 1 && operands[0].kind != Operand::Kind::sink;
  if (values.size() != count || (returns && operands[0].elements.size() != count)) {
    invalid("the vector has another size");
  }
  const std::uint8_t bytes = inst.bytes;
  std::vector<std::uint32_t> old(count, no_row);  // a result may be a later element's source
  for (std::size_t e = 0; e < count; ++e) {
    inst.s[1] = source(values[e], RowKind::word, true);
    if (returns) old[e] = rows_.temporary(RowKind::word);
    inst.d = old[e];
    inst.bytes = e == 0 ? static_cast<std::uint8_t>(bytes * elements) : std::uint8_t{0};
    append(inst);
    inst.immediate += bytes;
  }
  for (std::size_t e = 0; returns && e < count; ++e) {
    const std::uint32_t to = destination(operands[0].elements[e], RowKind::word);
    emit("_copy.32", to, {old[e]});
    finish_destination(operands[0].elements[e], to, "u32");
  }
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes}; commit_group; wait_group N;
// wait_all.
bool FunctionLowering::lower_async_copy(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  if (!opcode.has("async")) return false;
  if (opcode.has("bulk")) return lower_bulk_copy(instruction, opcode);
  if (opcode.has("mbarrier")) return lower_copy_arrival(instruction, opcode);
  Inst inst;
  if (opcode.has("commit_group")) {
    inst.all = inst.some = &commit_copies;
  } else if (opcode.has("wait_group") || opcode.has("wait_all")) {
    inst.all = inst.some = &wait_for_copies;
    inst.immediate = opcode.has("wait_all") ? -1 : static_cast<std::int64_t>(operands.at(0).bits);
  } else {
    if (operands.size() < 3 || operands[2].kind != Operand::Kind::immediate) return false;
    const std::uint32_t to = whole_address(operands[0], Space::shared);
    set_address(inst, operands[1], Space::global);
    limit_to_variable(inst, operands[0]);
    inst.s[1] = to;
    inst.all = inst.some = &start_copy;
    inst.bytes = static_cast<std::uint8_t>(operands[2].bits);
    if (operands.size() > 3 && operands[3].kind != Operand::Kind::immediate &&
        !opcode.has("L2::cache_hint")) {
      inst.s[2] = source(operands[3], RowKind::word);
    } else if (operands.size() > 3 && operands[3].kind == Operand::Kind::immediate) {
      inst.s[2] = constant(RowKind::word, operands[3].bits);
    }
  }
  append(inst);
  return true;
}

}  // namespace ladder::emulator
