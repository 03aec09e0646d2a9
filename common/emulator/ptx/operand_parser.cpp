// Instructions and their operands: the second half of FunctionParser.
#include <algorithm>
#include <array>

#include "common/emulator/ptx/constant.hpp"
#include "common/emulator/ptx/function_parser.hpp"
#include "common/emulator/ptx/reserved_shared.hpp"

namespace ladder::ptx {
namespace {

constexpr int deepest_operand = 8;

// Special registers without the numbered ones (PTX ISA, "Special Registers"), sorted.
constexpr std::array<std::string_view, 35> special_registers = {
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%tid",
    "%total_smem_size",
    "%warpid",
};

bool is_special_register(std::string_view name) {
  if (std::binary_search(special_registers.begin(), special_registers.end(), name)) return true;
  for (const std::string_view numbered : {"%envreg", "%pm", "%reserved_smem_offset_"})
    if (name.substr(0, numbered.size()) == numbered && name.size() > numbered.size() &&
        name[numbered.size()] >= '0' && name[numbered.size()] <= '9')
      return true;
  return false;
}

const Variable& declare_reserved_shared(Module& module) {
  for (const Variable& variable : module.variables) {
    if (variable.name == reserved_shared) return variable;
  }
  Variable variable;
  variable.name = std::string(reserved_shared);
  variable.space = Space::shared;
  variable.bytes = reserved_shared_bytes;
  variable.alignment = 16;
  variable.weak = true;  // one for all modules that are linked
  return module.variables.emplace_back(std::move(variable));
}

// Which operand of an instruction is a label; -1: none.
int label_slot(std::string_view opcode) {
  if (opcode == "bra" || opcode == "bra.uni") return 0;
  if (opcode == "brx.idx" || opcode == "brx.idx.uni") return 1;
  return -1;
}

int lane_of(std::string_view suffix) {
  if (suffix == "x" || suffix == "r") return 0;
  if (suffix == "y" || suffix == "g") return 1;
  if (suffix == "z" || suffix == "b") return 2;
  if (suffix == "w" || suffix == "a") return 3;
  return -1;
}

}  // namespace

void FunctionParser::instruction(std::string_view first, int line) {
  Instruction into;
  into.source = current_;
  into.line = line;
  if (first.empty()) {
    guard(into);
    if (!tokens_.at_identifier()) tokens_.fail_expected("an instruction");
    tokens_.extend_opcode();
    first = tokens_.current().text;
    tokens_.advance();
  }
  into.opcode = std::string(first);
  while (tokens_.at_directive()) {  // "add .s32": the parts may stand apart
    tokens_.extend_opcode();
    into.opcode += tokens_.current().text;
    tokens_.advance();
  }
  operand_depth_ = 0;
  if (into.opcode == "call" || into.opcode == "call.uni") {
    call_operands(into);
  } else if (!tokens_.at(';')) {
    operands(into);
  }
  tokens_.expect(';', "after an instruction");
  function_.body.push_back(std::move(into));
}

void FunctionParser::guard(Instruction& into) {
  tokens_.expect('@', "before a guard");
  into.guard_negated = tokens_.take('!');
  const std::string_view name = tokens_.expect_identifier("a predicate");
  const std::optional<Symbol> found = find(name);
  if (!found.has_value()) tokens_.fail("unknown predicate " + quoted(name));
  if (found->kind != Symbol::Kind::scalar || found->type != Type::pred)
    tokens_.fail(quoted(name) + " guards an instruction, but is no predicate");
  into.guard = found->index;
}

void FunctionParser::operands(Instruction& into) {
  const int label = label_slot(into.opcode);
  do {
    const std::size_t slot = into.operands.size();
    if (static_cast<int>(slot) == label) {
      into.operands.push_back(label_operand(slot));
    } else {
      into.operands.push_back(operand());
    }
  } while (tokens_.take(','));
}

// Written: [(returns),] target [, (arguments)] [, prototype]
void FunctionParser::call_operands(Instruction& into) {
  Operand none;
  none.kind = Operand::Kind::list;
  const bool returns = tokens_.at('(');
  into.operands.push_back(returns ? call_list() : none);
  if (returns) tokens_.expect(',', "before the function of a call");
  into.operands.push_back(call_target());
  if (!tokens_.take(',')) {
    into.operands.push_back(std::move(none));
    return;
  }
  const bool arguments = tokens_.at('(');
  into.operands.push_back(arguments ? call_list() : std::move(none));
  if (!arguments || tokens_.take(',')) into.operands.push_back(label_operand(3));
}

Operand FunctionParser::call_list() {
  Operand list;
  list.kind = Operand::Kind::list;
  tokens_.expect('(', "of a call");
  while (!tokens_.at(')')) {
    list.elements.push_back(operand());
    if (!tokens_.take(',')) break;
  }
  tokens_.expect(')', "of a call");
  return list;
}

Operand FunctionParser::call_target() {
  const std::string_view name = tokens_.expect_identifier("the function of a call");
  const std::optional<Symbol> found = find(name);
  if (found.has_value() && found->kind == Symbol::Kind::scalar)
    return register_operand(*found, name, {});
  if (!found.has_value() || found->kind != Symbol::Kind::function)
    tokens_.fail("call of unknown function " + quoted(name));
  Operand target;
  target.kind = Operand::Kind::function;
  target.name = std::string(name);
  return target;
}

Operand FunctionParser::label_operand(std::size_t slot) {
  Operand label;
  label.kind = Operand::Kind::label;
  const int line = tokens_.line();
  const std::string_view name = tokens_.expect_identifier("a label");
  scopes_.back().uses.push_back({LabelUse::Kind::operand, line, function_.body.size(), slot, name});
  return label;
}

Operand FunctionParser::operand() {
  if (++operand_depth_ > deepest_operand) tokens_.fail("operands are nested too deeply");
  Operand first = single_operand();
  const bool pairs = first.kind == Operand::Kind::reg || first.kind == Operand::Kind::sink;
  if (pairs && tokens_.take('|')) {
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(single_operand());
    first = std::move(pair);
  }
  --operand_depth_;
  return first;
}

Operand FunctionParser::single_operand() {
  if (tokens_.at('[')) return address_operand();
  if (tokens_.at('{')) return vector_operand();
  if (tokens_.take('!')) {
    if (!tokens_.at_identifier()) tokens_.fail_expected("a predicate after '!'");
    Operand predicate = named_operand();
    predicate.negated = true;
    return predicate;
  }
  if (starts_constant(tokens_.current()) || tokens_.at('(')) return constant_operand();
  if (tokens_.at_identifier()) return named_operand();
  tokens_.fail_expected("an operand");
}

Operand FunctionParser::constant_operand() {
  const Constant constant = parse_constant(tokens_);
  Operand result;
  result.kind = constant.kind == Constant::Kind::integer   ? Operand::Kind::immediate
                : constant.kind == Constant::Kind::float32 ? Operand::Kind::immediate_f32
                                                           : Operand::Kind::immediate_f64;
  result.bits = constant.bits;
  return result;
}

std::optional<Symbol> FunctionParser::find(std::string_view name) {
  std::optional<Symbol> found = context_.symbols.find(name);
  if (found.has_value() && found->kind == Symbol::Kind::register_range) {
    found->kind = Symbol::Kind::scalar;
    found->index = static_cast<int>(function_.registers.size());
    function_.registers.push_back({std::string(name), found->type});
    context_.symbols.declare(name, *found);
  }
  return found;
}

Operand FunctionParser::named_operand() {
  const std::string_view suffix = tokens_.take_suffix();
  const std::string_view name = tokens_.expect_identifier("a name");
  Operand result;
  if (name == "_") return result;
  const std::optional<Symbol> found = find(name);
  if (!found.has_value()) {
    if (name == reserved_shared) {
      const Variable& variable = declare_reserved_shared(context_.module);
      return variable_operand(variable.name, variable.type);
    }
    if (!is_special_register(name))
      tokens_.fail(name[0] == '%' ? "unknown register " + quoted(name)
                                  : "unknown name " + quoted(name));
    result.kind = Operand::Kind::special;
    result.name = std::string(name);
    if (!suffix.empty()) result.name.append(".").append(suffix);
    return result;
  }
  const auto index = static_cast<std::size_t>(found->index);
  switch (found->kind) {
    case Symbol::Kind::parameter:
      return variable_operand(function_.parameters[index].name, found->type);
    case Symbol::Kind::returned:
      return variable_operand(function_.returns[index].name, found->type);
    case Symbol::Kind::local_variable:
      return variable_operand(function_.variables[index].name, found->type);
    case Symbol::Kind::module_variable:
      return variable_operand(context_.module.variables[index].name, found->type);
    case Symbol::Kind::function:
      result.kind = Operand::Kind::function;
      result.name = std::string(name);
      return result;
    default:
      return register_operand(*found, name, suffix);
  }
}

Operand FunctionParser::register_operand(const Symbol& found, std::string_view name,
                                         std::string_view suffix) {
  Operand result;
  result.kind = Operand::Kind::reg;
  result.index = found.index;
  if (found.kind == Symbol::Kind::scalar) {
    result.name = std::string(suffix);  // .b0, .h1 of video instructions
    return result;
  }
  const int lanes = found.kind == Symbol::Kind::vector2 ? 2 : 4;
  if (!suffix.empty()) {
    const int lane = lane_of(suffix);
    if (lane < 0 || lane >= lanes)
      tokens_.fail("vector register " + quoted(name) + " has no element " + quoted(suffix));
    result.index += lane;
    return result;
  }
  Operand vector;
  vector.kind = Operand::Kind::vector;
  for (int lane = 0; lane < lanes; ++lane) {
    vector.elements.push_back(result);
    ++result.index;
  }
  return vector;
}

std::int64_t FunctionParser::offset() {
  const Constant constant = parse_constant(tokens_);
  if (constant.kind != Constant::Kind::integer) tokens_.fail("an offset must be an integer");
  return static_cast<std::int64_t>(constant.bits);
}

// variable, variable + 4, variable[2]
Operand FunctionParser::variable_operand(const std::string& name, Type type) {
  Operand result;
  result.kind = Operand::Kind::variable;
  result.name = name;
  if (tokens_.at('+') || tokens_.at('-')) {
    result.offset = offset();
  } else if (tokens_.take('[')) {
    const auto element = static_cast<std::uint64_t>(std::max(bytes_of(type), 1));
    result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset()) * element);
    tokens_.expect(']', "after an index");
  }
  return result;
}

Operand FunctionParser::address_operand() {
  tokens_.expect('[', "of an address");
  Operand address;
  address.kind = Operand::Kind::address;
  Operand base = single_operand();
  switch (base.kind) {
    case Operand::Kind::reg:
      if (tokens_.at('+') || tokens_.at('-')) address.offset = offset();
      break;
    case Operand::Kind::variable:
      address.offset = base.offset;
      base.offset = 0;
      break;
    case Operand::Kind::immediate:
      break;
    default:
      tokens_.fail("an address starts with a register, a variable or a number");
  }
  address.elements.push_back(std::move(base));
  while (tokens_.take(',')) address.elements.push_back(operand());
  tokens_.expect(']', "of an address");
  return address;
}

Operand FunctionParser::vector_operand() {
  tokens_.expect('{', "of a vector");
  Operand vector;
  vector.kind = Operand::Kind::vector;
  while (!tokens_.at('}')) {
    vector.elements.push_back(operand());
    if (!tokens_.take(',')) break;
  }
  tokens_.expect('}', "of a vector");
  return vector;
}

}  // namespace ladder::ptx
