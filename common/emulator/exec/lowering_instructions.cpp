// One PTX instruction to one or a few decoded ones.
#include <utility>

#include "common/emulator/exec/function_lowering.hpp"
#include "common/emulator/exec/shuffle.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;

// d|p, or d alone.
const Operand& first_of(const Operand& operand) {
  return operand.kind == Operand::Kind::pair ? operand.elements.at(0) : operand;
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

}  // namespace

DraftInst& FunctionLowering::append(const DraftInst& inst) {
  auto& list = blocks_.back().instructions;
  list.push_back(inst);
  list.back().guard = guard_;
  list.back().guard_negated = current_ && current_->guard_negated;
  list.back().source = current_;
  return list.back();
}

Inst& FunctionLowering::emit(const char* operation, std::uint32_t d,
                             std::initializer_list<std::uint32_t> sources) {
  const Operation* found = find_operation(operation);
  if (!found) invalid(std::string("no operation ") + operation);
  DraftInst inst;
  inst.described_by = found;
  inst.all = inst.operation = found->all;
  inst.some = blend_handler(found->result);
  inst.d = d;
  std::size_t i = 0;
  for (const std::uint32_t row : sources) inst.s[i++] = row;
  return append(inst);
}

void FunctionLowering::emit_operation(const Operation& operation, const Instruction& instruction,
                                      std::int64_t immediate, const Operation* described_by) {
  if (instruction.operands.size() != static_cast<std::size_t>(operation.sources) + 1) {
    invalid("'" + instruction.opcode + "' takes " + std::to_string(operation.sources + 1) +
            " operands");
  }
  DraftInst inst;
  inst.described_by = described_by;
  inst.all = inst.operation = operation.all;
  inst.some = blend_handler(operation.result);
  inst.immediate = immediate;
  for (int i = 0; i < operation.sources; ++i) {
    const auto n = static_cast<std::size_t>(i);
    inst.s[i] = source(instruction.operands[n + 1], operation.source[i], operation.source_f32[i]);
  }
  inst.d = destination(instruction.operands[0], operation.result);
  const std::uint32_t row = append(inst).d;
  finish_destination(instruction.operands[0], row, Opcode(instruction.opcode).last());
}

// lop3.and.b32 d|p, a, b, c, table, q: also whether any bit is set, combined with q.
bool FunctionLowering::lower_logic_with_predicate(const Instruction& instruction,
                                                  const Opcode& opcode) {
  const auto& operands = instruction.operands;
  if (opcode.head() != "lop3" || opcode.parts.size() != 3 || operands.size() != 6 ||
      operands[0].kind != Operand::Kind::pair || (!opcode.has("and") && !opcode.has("or"))) {
    return false;
  }
  const auto word = [&](std::size_t i) { return source(operands[i], RowKind::word); };
  const std::uint32_t value = rows_.temporary(RowKind::word);
  emit("lop3.b32", value, {word(1), word(2), word(3), word(4)});
  const std::uint32_t some = rows_.temporary(RowKind::predicate);
  emit("setp.ne.u32", some, {value, constant(RowKind::word, 0)});
  const std::uint32_t q = source(operands[5], RowKind::predicate);
  emit(opcode.has("and") ? "and.pred" : "or.pred",
       destination(operands[0].elements.at(1), RowKind::predicate), {some, q});
  const Operand& to = operands[0].elements.at(0);
  const std::uint32_t d = destination(to, RowKind::word);
  emit("_copy.32", d, {value});
  finish_destination(to, d, "u32");
  return true;
}

bool FunctionLowering::lower_lanewise(const Instruction& instruction) {
  const Operation* operation = find_operation(instruction.opcode);
  // Forms that differ in nothing but their spelling.
  if (!operation) {
    const Opcode opcode(instruction.opcode);
    if (opcode.head() == "selp" || opcode.head() == "slct") {
      std::vector<std::string_view> parts = opcode.parts;
      const auto type = type_of(parts.at(opcode.head() == "slct" ? parts.size() - 2 : 1));
      if (!type) return false;
      const int bytes = ptx::bytes_of(*type);
      parts[opcode.head() == "slct" ? parts.size() - 2 : 1] = bytes == 8   ? "b64"
                                                              : bytes == 4 ? "b32"
                                                                           : "b16";
      operation = find_operation(joined(parts));
    } else if (opcode.last() == "relu" && opcode.parts.size() == 3) {  // min.s16x2.relu
      operation = find_operation(joined({opcode.head(), "relu", opcode.parts[1]}));
    }
  }
  if (!operation) return false;
  emit_operation(*operation, instruction, 0, operation);
  return true;
}

// mov, cvta: copies, which mostly dissolve.
bool FunctionLowering::lower_move(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  if (opcode.head() != "mov" && opcode.head() != "cvta") return false;
  if (operands.size() != 2) invalid("'" + instruction.opcode + "' takes 2 operands");
  if (opcode.head() == "cvta" && (opcode.has("shared") || opcode.has("local"))) {
    const std::uint32_t from = source(operands[1], RowKind::wide);
    const std::uint32_t to = destination(operands[0], RowKind::wide);
    const std::uint64_t window = opcode.has("shared") ? shared_window : local_window;
    if (opcode.has("to")) {
      emit("and.b64", to, {from, constant(RowKind::wide, ~window_mask)});
    } else {
      emit("or.b64", to, {from, constant(RowKind::wide, window)});
    }
    finish_destination(operands[0], to, "u64");
    return true;
  }
  const auto type = type_of(opcode.last());
  if (!type) return false;
  if (*type == ptx::Type::b128) {
    const std::vector<std::uint32_t> from = wide_halves(operands[1]), to = wide_halves(operands[0]);
    emit("_copy.64", to[0], {from[0]});
    emit("_copy.64", to[1], {from[1]});
    return true;
  }
  if (operands[0].kind == Operand::Kind::vector || operands[1].kind == Operand::Kind::vector) {
    move_vector(instruction, ptx::bytes_of(*type));
    return true;
  }
  const RowKind kind = row_kind_of(*type);
  const std::uint32_t from = source(operands[1], kind, *type == ptx::Type::f32);
  if (guard_ == no_row && bind(operands[0], from)) return true;
  const std::uint32_t to = destination(operands[0], kind);
  emit(kind == RowKind::predicate ? "_copy.pred"
       : kind == RowKind::wide    ? "_copy.64"
                                  : "_copy.32",
       to, {from});
  finish_destination(operands[0], to, opcode.last());
  return true;
}

// mov.b64 {lo, hi}, d; mov.b32 d, {a, b}; four 16-bit parts of a b64; four bytes of a b32.
void FunctionLowering::move_vector(const Instruction& instruction, int bytes) {
  const auto& operands = instruction.operands;
  const bool unpacks = operands[0].kind == Operand::Kind::vector;
  const auto& parts = operands[unpacks ? 0 : 1].elements;
  const bool wide = bytes == 8;
  if (parts.size() != 2 && parts.size() != 4) unsupported(instruction);
  if (unpacks) {
    const std::uint32_t from = source(operands[1], wide ? RowKind::wide : RowKind::word);
    const auto write = [&](const Operand& to, const char* operation, std::uint32_t value) {
      if (to.kind == Operand::Kind::sink) return;
      const std::uint32_t row = destination(to, RowKind::word);
      emit(operation, row, {value});
      finish_destination(to, row, "u32");
    };
    // The source may be one of the parts: copied before they are written.
    const std::uint32_t kept = rows_.temporary(wide ? RowKind::wide : RowKind::word);
    emit(wide ? "_copy.64" : "_copy.32", kept, {from});
    if (wide && parts.size() == 2) {
      write(parts[0], "_low", kept);
      write(parts[1], "_high", kept);
    } else if (wide) {
      for (const std::size_t half : {0u, 1u}) {
        const std::uint32_t word = rows_.temporary(RowKind::word);
        emit(half == 0 ? "_low" : "_high", word, {kept});
        write(parts[2 * half], "_low16", word);
        write(parts[2 * half + 1], "_high16", word);
      }
    } else if (parts.size() == 2) {
      write(parts[0], "_low16", kept);
      write(parts[1], "_high16", kept);
    } else {
      static const char* const names[] = {"_byte0", "_byte1", "_byte2", "_byte3"};
      for (std::size_t i = 0; i < 4; ++i) write(parts[i], names[i], kept);
    }
    return;
  }
  std::uint32_t rows[4] = {};
  for (std::size_t i = 0; i < parts.size(); ++i) rows[i] = source(parts[i], RowKind::word);
  const std::uint32_t to = destination(operands[0], wide ? RowKind::wide : RowKind::word);
  if (wide && parts.size() == 2) {
    emit("_join", to, {rows[0], rows[1]});
  } else if (wide) {
    const std::uint32_t low = rows_.temporary(RowKind::word), high = rows_.temporary(RowKind::word);
    emit("_join16", low, {rows[0], rows[1]});
    emit("_join16", high, {rows[2], rows[3]});
    emit("_join", to, {low, high});
  } else if (parts.size() == 2) {
    emit("_join16", to, {rows[0], rows[1]});
  } else {
    emit("_join8", to, {rows[0], rows[1], rows[2], rows[3]});
  }
  finish_destination(operands[0], to, "u32");
}

namespace {

// What `set` writes where the comparison holds: 1 in a floating-point type, else all ones.
std::uint64_t truth_of(ptx::Type type, std::uint64_t all_ones) {
  switch (type) {
    case ptx::Type::f32:
      return 0x3f800000u;
    case ptx::Type::f16:
    case ptx::Type::f16x2:
      return 0x3c00u;
    case ptx::Type::bf16:
    case ptx::Type::bf16x2:
      return 0x3f80u;
    default:
      return all_ones;
  }
}

}  // namespace

// The same of both halves of a pair: setp gives p for the lower and q for the upper, set a pair.
bool FunctionLowering::compare_packed(const Instruction& instruction, const Operation& operation,
                                      std::string_view boolean, std::optional<ptx::Type> result) {
  const auto& operands = instruction.operands;
  if (!result && operands[0].kind != Operand::Kind::pair) return false;
  const std::uint32_t a = source(operands[1], RowKind::word);
  const std::uint32_t b = source(operands[2], RowKind::word);
  std::uint32_t holds[2], values[2];
  for (const int half : {0, 1}) {
    const char* const part = half == 0 ? "_low16" : "_high16";
    const std::uint32_t x = rows_.temporary(RowKind::word), y = rows_.temporary(RowKind::word);
    emit(part, x, {a});
    emit(part, y, {b});
    holds[half] = rows_.temporary(RowKind::predicate);
    emit(operation.text, holds[half], {x, y});
    if (boolean.empty()) continue;
    const std::uint32_t alone = std::exchange(holds[half], rows_.temporary(RowKind::predicate));
    emit((std::string(boolean) + ".pred").c_str(), holds[half],
         {alone, source(operands[3], RowKind::predicate)});
  }
  for (const std::size_t half : {0u, 1u}) {
    if (result) {
      values[half] = rows_.temporary(RowKind::word);
      emit("selp.b32", values[half],
           {constant(RowKind::word, truth_of(*result, 0xffff)), constant(RowKind::word, 0),
            holds[half]});
    } else {
      emit("_copy.pred", destination(operands[0].elements.at(half), RowKind::predicate),
           {holds[half]});
    }
  }
  if (!result) return true;
  const std::uint32_t to = destination(operands[0], RowKind::word);
  emit("_join16", to, {values[0], values[1]});
  finish_destination(operands[0], to, "u32");
  return true;
}

// setp.CMP{.BOOL}.TYPE p|q, a, b{, c} and set.CMP{.BOOL}.D.TYPE d, a, b{, c}.
bool FunctionLowering::lower_compare(const Instruction& instruction, const Opcode& opcode) {
  const bool to_number = opcode.head() == "set";
  if (opcode.head() != "setp" && !to_number) return false;
  const auto& operands = instruction.operands;
  std::string_view boolean;
  std::vector<std::string_view> parts = opcode.parts;
  for (const std::string_view name : {"and", "or", "xor"}) {
    if (std::erase(parts, name) > 0) boolean = name;
  }
  std::optional<ptx::Type> result;
  if (to_number && parts.size() > 3) {
    result = type_of(parts[parts.size() - 2]);
    parts.erase(parts.end() - 2);
    parts[0] = "setp";
  }
  const bool packed = parts.back() == "f16x2" || parts.back() == "bf16x2";
  if (packed) parts.back().remove_suffix(2);
  const Operation* operation = find_operation(joined(parts));
  if (!operation || operands.size() != (boolean.empty() ? 3u : 4u)) return false;
  if (packed) return compare_packed(instruction, *operation, boolean, result);
  const std::uint32_t a = source(operands[1], operation->source[0], operation->source_f32[0]);
  const std::uint32_t b = source(operands[2], operation->source[1], operation->source_f32[1]);
  if (boolean.empty() && !to_number && operands[0].kind == Operand::Kind::reg) {
    emit(operation->text, destination(operands[0], RowKind::predicate), {a, b});
    return true;
  }
  std::uint32_t holds = rows_.temporary(RowKind::predicate);
  emit(operation->text, holds, {a, b});
  const std::uint32_t c = boolean.empty() ? no_row : source(operands[3], RowKind::predicate);
  const std::string combine = std::string(boolean) + ".pred";
  const auto combined = [&](std::uint32_t value, std::uint32_t to) {
    if (boolean.empty())
      emit("_copy.pred", to, {value});
    else
      emit(combine.c_str(), to, {value, c});
  };
  if (to_number) {
    if (!result) return false;
    const std::uint32_t value = rows_.temporary(RowKind::predicate);
    combined(holds, value);
    const std::uint64_t yes = truth_of(*result, ~std::uint64_t{0});
    const std::uint32_t to = destination(operands[0], RowKind::word);
    emit("selp.b32", to, {constant(RowKind::word, yes), constant(RowKind::word, 0), value});
    finish_destination(operands[0], to, "u32");
    return true;
  }
  const bool pair = operands[0].kind == Operand::Kind::pair;
  const std::uint32_t first = destination(first_of(operands[0]), RowKind::predicate);
  if (pair) {
    // The first result may be a source of the second.
    const std::uint32_t fails = rows_.temporary(RowKind::predicate);
    emit("not.pred", fails, {holds});
    const std::uint32_t second = rows_.temporary(RowKind::predicate);
    combined(fails, second);
    combined(holds, first);
    emit("_copy.pred", destination(operands[0].elements.at(1), RowKind::predicate), {second});
  } else {
    combined(holds, first);
  }
  return true;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry is a predicate row.
bool FunctionLowering::lower_carry(const Instruction& instruction, const Opcode& opcode) {
  const auto head = opcode.head();
  const bool writes = opcode.has("cc");
  const bool reads = head == "addc" || head == "subc" || head == "madc";
  if (!writes && !reads) return false;
  const RowKind kind = opcode.last().substr(1) == "64" ? RowKind::wide : RowKind::word;
  const std::string width = kind == RowKind::wide ? "64" : "32";
  const bool multiplies = head == "mad" || head == "madc";
  const auto& operands = instruction.operands;
  if (operands.size() != (multiplies ? 4u : 3u)) return false;
  std::uint32_t a = source(operands[1], kind);
  std::uint32_t b = source(operands[2], kind);
  if (multiplies) {
    const std::string product =
        std::string(opcode.has("hi") ? "mul.hi." : "mul.lo.") + std::string(opcode.last());
    const std::uint32_t temporary = rows_.temporary(kind);
    emit(product.c_str(), temporary, {a, b});
    a = temporary;
    b = source(operands[3], kind);
  }
  if (carry_ == no_row) carry_ = rows_.temporary(RowKind::predicate);
  std::uint32_t carry_in = reads ? carry_ : constant(RowKind::predicate, 0);
  const bool subtracts = head == "sub" || head == "subc";
  // A subtraction leaves a carry where it needed no borrow, as a + ~b + 1 does: NVIDIA's 128-bit
  // division reads it with addc.
  if (subtracts && reads) {
    carry_in = rows_.temporary(RowKind::predicate);
    emit("not.pred", carry_in, {carry_});
  }
  const std::uint32_t carry_out = rows_.temporary(RowKind::predicate);
  if (writes) {
    emit(((subtracts ? "_borrow." : "_carry.") + width).c_str(), carry_out, {a, b, carry_in});
  }
  emit(((subtracts ? "_subc." : "_addc.") + width).c_str(), destination(operands[0], kind),
       {a, b, carry_in});
  if (writes) emit(subtracts ? "not.pred" : "_copy.pred", carry_, {carry_out});
  return true;
}

bool FunctionLowering::lower_convert(const Instruction& instruction) {
  std::int64_t immediate = 0;
  const Operation operation = convert_operation(instruction.opcode, immediate);
  if (!operation.text) return false;
  emit_operation(operation, instruction, immediate);
  return true;
}

void FunctionLowering::use_shuffle_map(Inst& inst, const Instruction& instruction) {
  const auto distance = rows_.constant(inst.s[1]), clamp = rows_.constant(inst.s[2]);
  if (!distance || !clamp) return;
  const auto map = std::make_shared<ShuffleMap>(shuffle_map(shuffle_kind(instruction.opcode),
                                                            static_cast<std::uint32_t>(*distance),
                                                            static_cast<std::uint32_t>(*clamp)));
  if (!map->known) return;
  inst.some = inst.all = &mapped_shuffle;
  inst.immediate = reinterpret_cast<std::intptr_t>(map.get());
  function_.tables.push_back(map);
}

bool FunctionLowering::lower_collective(const Instruction& instruction, const Opcode& opcode) {
  std::string_view name = instruction.opcode;
  if (opcode.head() == "membar" || opcode.head() == "fence") name = "fence";
  if (opcode.head() == "prefetch" || opcode.head() == "prefetchu" || opcode.head() == "pmevent" ||
      opcode.head() == "griddepcontrol" || opcode.head() == "discard" ||
      opcode.head() == "applypriority") {
    name = "_nothing";
  }
  if (opcode.head() == "createpolicy") {  // what a cache should do changes no result
    const std::uint32_t policy = destination(instruction.operands.at(0), RowKind::wide);
    emit("_copy.64", policy, {constant(RowKind::wide, 0)});
    return true;
  }
  const Collective* found = find_collective(name);
  if (!found) return false;
  Inst inst;
  inst.some = inst.all = found->handler;
  const auto& operands = instruction.operands;
  std::size_t next = 0;
  if (found->has_result) {
    if (operands.empty()) invalid("a result is missing");
    const Operand& to = operands[next++];
    inst.d = destination(first_of(to), found->result);
    if (to.kind == Operand::Kind::pair && found->second_predicate &&
        to.elements.at(1).kind == Operand::Kind::reg) {
      inst.e = destination(to.elements[1], RowKind::predicate);
    }
  }
  for (int i = 0; i < found->sources; ++i) {
    if (next >= operands.size()) invalid("an operand is missing");
    inst.s[i] = source(operands[next++], found->source[i]);
  }
  if (opcode.head() == "alloca") {
    function_.allocates_stack = true;
    inst.immediate = next < operands.size() ? static_cast<std::int64_t>(operands[next].bits) : 8;
    if (!std::has_single_bit(static_cast<std::uint64_t>(inst.immediate)))
      invalid("an alignment is no power of two");
  }
  if (found->members >= 0) {
    Block& block = blocks_.back().block;
    block.needs_members = true;
    block.members = inst.s[found->members];
    block.warp_barrier = opcode.head() == "bar";
  }
  if (opcode.head() == "shfl") use_shuffle_map(inst, instruction);
  append(inst);
  if (found->has_result) finish_destination(first_of(operands[0]), inst.d, "u32");
  return true;
}

}  // namespace ladder::emulator
