#include "common/emulator/ptx/function_parser.hpp"

#include <climits>

#include "common/emulator/ptx/constant.hpp"

namespace ladder::ptx {
namespace {

constexpr std::size_t deepest_braces = 256;

}  // namespace

FunctionParser::FunctionParser(Context& context, const Linkage& linkage, bool entry)
    : context_(context), tokens_(context.tokens) {
  function_.entry = entry;
  function_.visible = linkage.visible;
  function_.external = linkage.external;
  function_.weak = linkage.weak;
}

void FunctionParser::parse() {
  context_.symbols.enter();
  head();
  if (tokens_.at('{')) {
    function_.defined = true;
    body();
  } else {
    tokens_.expect(';', "or '{' after the head of a function");
  }
  context_.symbols.leave();
  join_module();
}

void FunctionParser::head() {
  while (head_directive()) {
  }
  declare_parameters(parse_parameters(context_), Symbol::Kind::returned, function_.returns);
  while (head_directive()) {
  }
  name_ = tokens_.expect_identifier("a function's name");
  function_.name = std::string(name_);
  while (head_directive()) {
  }
  declare_parameters(parse_parameters(context_), Symbol::Kind::parameter, function_.parameters);
  while (head_directive()) {
  }
}

// One directive of a head; false: there is none.
bool FunctionParser::head_directive() {
  if (!tokens_.at_directive()) return false;
  const std::string_view text = tokens_.current().text;
  tokens_.advance();
  if (text == ".maxntid") {
    dimensions(function_.max_threads);
  } else if (text == ".reqntid") {
    dimensions(function_.required_threads);
  } else if (text == ".reqnctapercluster") {
    dimensions(function_.cluster);
  } else if (text == ".minnctapersm") {
    function_.min_blocks_per_sm = tokens_.expect_small("a block count", INT_MAX);
  } else if (text == ".maxnreg") {
    function_.max_registers = tokens_.expect_small("a register count", INT_MAX);
  } else if (text == ".maxclusterrank") {
    function_.max_cluster_blocks = tokens_.expect_small("a block count", INT_MAX);
  } else if (text == ".maxnctapersm" || text == ".local_maxnreg" || text == ".abi_preserve" ||
             text == ".abi_preserve_control") {
    tokens_.expect_small("a count", INT_MAX);
  } else if (text == ".noreturn") {
    function_.no_return = true;
  } else if (text == ".pragma") {
    if (tokens_.current().kind != Token::Kind::string) tokens_.fail_expected("a string");
    tokens_.advance();
    tokens_.take(';');
  } else if (text == ".attribute") {
    tokens_.expect('(', "after .attribute");
    while (!tokens_.at_end() && !tokens_.at('{') && !tokens_.take(')')) tokens_.advance();
  } else if (text != ".explicitcluster" && text != ".blocksareclusters" && text != ".unique") {
    tokens_.fail("unknown directive " + quoted(text) + " of a function");
  }
  return true;
}

void FunctionParser::dimensions(int (&values)[3]) {
  for (int d = 0; d < 3; ++d) values[d] = 1;
  for (int d = 0; d < 3; ++d) {
    values[d] = tokens_.expect_small("a dimension", INT_MAX);
    if (d == 2 || !tokens_.take(',')) return;
  }
}

void FunctionParser::declare_parameters(std::vector<NamedVariable> parsed, Symbol::Kind kind,
                                        std::vector<Variable>& to) {
  for (NamedVariable& parameter : parsed) {
    if (parameter.name != "_") {
      Symbol symbol{kind, static_cast<int>(to.size()), context_.symbols.depth(),
                    parameter.variable.type};
      if (parameter.variable.space == Space::reg) {
        symbol.kind = Symbol::Kind::scalar;
        symbol.index = static_cast<int>(function_.registers.size());
        function_.registers.push_back({parameter.variable.name, parameter.variable.type});
      }
      if (!context_.symbols.declare(parameter.name, symbol))
        tokens_.fail("parameter " + quoted(parameter.name) + " is declared twice");
      taken_names_.insert(parameter.variable.name);
    }
    to.push_back(std::move(parameter.variable));
  }
}

void FunctionParser::join_module() {
  std::vector<Function>& functions = context_.module.functions;
  const std::optional<Symbol> known = context_.symbols.find(name_);
  if (!known.has_value()) {
    context_.symbols.declare(
        name_, {Symbol::Kind::function, static_cast<int>(functions.size()), 0, Type::none});
    functions.push_back(std::move(function_));
    return;
  }
  if (known->kind != Symbol::Kind::function)
    tokens_.fail(quoted(name_) + " is a variable and a function");
  Function& earlier = functions[static_cast<std::size_t>(known->index)];
  if (earlier.defined && function_.defined)
    tokens_.fail("function " + quoted(name_) + " is defined twice");
  if (earlier.entry != function_.entry)
    tokens_.fail(quoted(name_) + " is declared as .entry and as .func");
  if (function_.defined) {
    function_.visible |= earlier.visible;
    function_.weak |= earlier.weak;
    function_.no_return |= earlier.no_return;
    earlier = std::move(function_);
  }
}

void FunctionParser::body() {
  // Recursion and tables name the function inside its own body.
  if (!context_.symbols.find(name_).has_value()) {
    Function prototype;
    prototype.name = function_.name;
    prototype.entry = function_.entry;
    prototype.parameters = function_.parameters;
    prototype.returns = function_.returns;
    context_.symbols.declare(
        name_, {Symbol::Kind::function, static_cast<int>(context_.module.functions.size()), 0,
                Type::none});
    context_.module.functions.push_back(std::move(prototype));
  }
  scopes_.emplace_back();
  tokens_.expect('{', "before the body of a function");
  while (!scopes_.empty()) statement();
}

void FunctionParser::open_scope() {
  tokens_.advance();
  if (scopes_.size() == deepest_braces) tokens_.fail("braces are nested too deeply");
  scopes_.emplace_back();
  context_.symbols.enter();
}

// Binds the labels of the scope; uses of others pass outwards.
void FunctionParser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const LabelUse& use : scope.uses) {
    const auto found = scope.labels.find(use.name);
    if (found == scope.labels.end()) {
      if (scopes_.empty()) throw ParseError(use.line, "unknown label " + quoted(use.name));
      scopes_.back().uses.push_back(use);
      continue;
    }
    const LabelTarget& target = found->second;
    if (use.kind == LabelUse::Kind::branch_target) {
      if (target.kind != LabelTarget::Kind::instruction)
        throw ParseError(use.line, quoted(use.name) + " is not a place to branch to");
      function_.branch_targets[use.owner].targets[use.slot] = target.index;
      continue;
    }
    Operand& operand = function_.body[use.owner].operands[use.slot];
    operand.index = target.index;
    operand.kind = target.kind == LabelTarget::Kind::instruction ? Operand::Kind::label
                   : target.kind == LabelTarget::Kind::prototype ? Operand::Kind::prototype
                                                                 : Operand::Kind::branch_targets;
  }
  if (!scopes_.empty()) context_.symbols.leave();
  tokens_.advance();
}

void FunctionParser::statement() {
  if (tokens_.at('{')) {
    open_scope();
  } else if (tokens_.at('}')) {
    close_scope();
  } else if (tokens_.take(';')) {
    return;
  } else if (tokens_.at_directive()) {
    directive_statement();
  } else if (tokens_.at('@')) {
    instruction({}, tokens_.line());
  } else if (tokens_.at_identifier()) {
    tokens_.extend_opcode();
    const std::string_view first = tokens_.current().text;
    const int line = tokens_.line();
    tokens_.advance();
    if (tokens_.take(':')) {
      label(first, line);
    } else {
      instruction(first, line);
    }
  } else if (tokens_.at_end()) {
    tokens_.fail("the body of function " + quoted(name_) + " never ends: a '}' is missing");
  } else {
    tokens_.fail_expected("a statement");
  }
}

void FunctionParser::directive_statement() {
  const std::string_view text = tokens_.current().text;
  if (text == ".loc") {
    location();
    return;
  }
  if (text == ".reg") {
    tokens_.advance();
    registers();
    return;
  }
  if (text == ".pragma") {
    tokens_.advance();
    while (tokens_.current().kind == Token::Kind::string || tokens_.at(',')) tokens_.advance();
    tokens_.expect(';', "after .pragma");
    return;
  }
  const std::optional<Space> space = space_of(text);
  if (!space.has_value()) tokens_.fail("unknown directive " + quoted(text) + " in a function");
  tokens_.advance();
  local_variables(*space);
}

// .loc file line column[, function_name label[+offset], inlined_at file line column]
void FunctionParser::location() {
  tokens_.advance();
  SourceLocation at;
  at.file = tokens_.expect_small("a file's number", INT_MAX);
  at.line = tokens_.expect_small("a line", INT_MAX);
  at.column = tokens_.expect_small("a column", INT_MAX);
  if (tokens_.take(',')) {
    if (!tokens_.at_identifier("function_name")) tokens_.fail_expected("'function_name'");
    tokens_.advance();
    const std::string_view function = tokens_.current().text;
    if (!tokens_.at_identifier() && !tokens_.at_directive()) tokens_.fail_expected("a label");
    tokens_.advance();
    if (tokens_.take('+')) tokens_.expect_integer("an offset");
    tokens_.expect(',', "before 'inlined_at'");
    if (!tokens_.at_identifier("inlined_at")) tokens_.fail_expected("'inlined_at'");
    tokens_.advance();
    SourceLocation call;
    call.file = tokens_.expect_small("a file's number", INT_MAX);
    call.line = tokens_.expect_small("a line", INT_MAX);
    call.column = tokens_.expect_small("a column", INT_MAX);
    // The call's own .loc came before, and says whether it was inlined in turn.
    const auto outer = last_site_of_.find({call.file, call.line, call.column});
    if (outer != last_site_of_.end()) call.inlined_at = outer->second;
    const auto [known, added] =
        sites_.try_emplace({call.file, call.line, call.column, call.inlined_at, function},
                           static_cast<int>(function_.inline_sites.size()));
    if (added) function_.inline_sites.push_back({std::string(function), call});
    at.inlined_at = known->second;
  }
  last_site_of_[{at.file, at.line, at.column}] = at.inlined_at;
  if (function_.source.line == 0) function_.source = at;
  current_ = at;
}

void FunctionParser::registers() {
  const VariableType type = parse_variable_type(context_);
  if (type.lanes > 4) tokens_.fail("a vector register has 2 or 4 elements");
  do {
    const std::string_view name = tokens_.expect_identifier("a register's name");
    bool added;
    if (tokens_.take('<')) {
      if (type.lanes > 1) tokens_.fail("vector registers are declared one by one");
      const std::uint64_t count = tokens_.expect_integer("a number of registers");
      tokens_.expect('>', "after a number of registers");
      added = context_.symbols.declare_range(name, count, type.type);
    } else {
      const auto kind = type.lanes == 1   ? Symbol::Kind::scalar
                        : type.lanes == 2 ? Symbol::Kind::vector2
                                          : Symbol::Kind::vector4;
      added = context_.symbols.declare(name, {kind, static_cast<int>(function_.registers.size()),
                                              context_.symbols.depth(), type.type});
      for (int lane = 0; lane < type.lanes; ++lane) {
        std::string full(name);
        if (type.lanes > 1) full += std::string(".") + "xyzw"[lane];
        function_.registers.push_back({std::move(full), type.type});
      }
    }
    if (!added) tokens_.fail("register " + quoted(name) + " is declared twice");
  } while (tokens_.take(','));
  tokens_.expect(';', "after registers");
}

// Call sequences declare param0 again and again: the module's names are made unique.
std::string FunctionParser::unique_name(std::string_view name) {
  std::string unique(name);
  if (context_.symbols.find(name).has_value() || taken_names_.count(unique) != 0) {
    int& uses = name_uses_[name];
    unique = std::string(name) + "." + std::to_string(++uses);
  }
  taken_names_.insert(unique);
  return unique;
}

void FunctionParser::local_variables(Space space) {
  const VariableType type = parse_variable_type(context_);
  do {
    NamedVariable named = parse_declarator(context_, space, type, {});
    Symbol symbol{Symbol::Kind::local_variable, static_cast<int>(function_.variables.size()),
                  context_.symbols.depth(), type.type};
    // Constants and globals of a function live as long as the module.
    const bool of_module = space == Space::global || space == Space::constant;
    std::vector<Variable>& variables = of_module ? context_.module.variables : function_.variables;
    if (of_module) {
      symbol.kind = Symbol::Kind::module_variable;
      symbol.index = static_cast<int>(variables.size());
      named.variable.name =
          function_.name + "." + std::string(named.name) + "." + std::to_string(variables.size());
    } else {
      named.variable.name = unique_name(named.name);
    }
    if (!context_.symbols.declare(named.name, symbol))
      tokens_.fail("variable " + quoted(named.name) + " is declared twice");
    variables.push_back(std::move(named.variable));
  } while (tokens_.take(','));
  tokens_.expect(';', "after a variable");
}

void FunctionParser::label(std::string_view name, int line) {
  if (name.find('.') != std::string_view::npos)
    throw ParseError(line, quoted(name) + " is not a label's name");
  if (tokens_.at_directive(".branchtargets")) {
    branch_targets(name);
  } else if (tokens_.at_directive(".calltargets")) {
    call_targets(name);
  } else if (tokens_.at_directive(".callprototype")) {
    call_prototype(name);
  } else {
    const int index = static_cast<int>(function_.body.size());
    bind_label(name, {LabelTarget::Kind::instruction, index}, line);
    function_.labels.push_back({std::string(name), index});
  }
}

void FunctionParser::bind_label(std::string_view name, LabelTarget target, int line) {
  if (!scopes_.back().labels.try_emplace(name, target).second)
    throw ParseError(line, "label " + quoted(name) + " is declared twice");
}

void FunctionParser::branch_targets(std::string_view name) {
  tokens_.advance();
  const std::size_t list = function_.branch_targets.size();
  bind_label(name, {LabelTarget::Kind::branch_targets, static_cast<int>(list)}, tokens_.line());
  function_.branch_targets.push_back({std::string(name), {}});
  do {
    std::vector<int>& targets = function_.branch_targets[list].targets;
    const int line = tokens_.line();
    const std::string_view target = tokens_.expect_identifier("a label");
    scopes_.back().uses.push_back(
        {LabelUse::Kind::branch_target, line, list, targets.size(), target});
    targets.push_back(-1);
  } while (tokens_.take(','));
  tokens_.expect(';', "after .branchtargets");
}

// All possible targets have one signature: the first one's.
void FunctionParser::call_targets(std::string_view name) {
  tokens_.advance();
  Function::CallPrototype prototype;
  prototype.name = std::string(name);
  bool first = true;
  do {
    const std::string_view target = tokens_.expect_identifier("a function's name");
    const std::optional<Symbol> found = context_.symbols.find(target);
    if (!found.has_value() || found->kind != Symbol::Kind::function)
      tokens_.fail("unknown function " + quoted(target));
    const Function& function = context_.module.functions[static_cast<std::size_t>(found->index)];
    if (first) {
      prototype.parameters = function.parameters;
      prototype.returns = function.returns;
    }
    first = false;
  } while (tokens_.take(','));
  tokens_.expect(';', "after .calltargets");
  const int index = static_cast<int>(function_.call_prototypes.size());
  bind_label(name, {LabelTarget::Kind::prototype, index}, tokens_.line());
  function_.call_prototypes.push_back(std::move(prototype));
}

// name: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _) [.noreturn];
void FunctionParser::call_prototype(std::string_view name) {
  tokens_.advance();
  Function::CallPrototype prototype;
  prototype.name = std::string(name);
  for (NamedVariable& returned : parse_parameters(context_))
    prototype.returns.push_back(std::move(returned.variable));
  tokens_.expect_identifier("'_' in .callprototype");
  for (NamedVariable& parameter : parse_parameters(context_))
    prototype.parameters.push_back(std::move(parameter.variable));
  while (tokens_.at_directive() || tokens_.current().kind == Token::Kind::integer)
    tokens_.advance();
  tokens_.expect(';', "after .callprototype");
  const int index = static_cast<int>(function_.call_prototypes.size());
  bind_label(name, {LabelTarget::Kind::prototype, index}, tokens_.line());
  function_.call_prototypes.push_back(std::move(prototype));
}

}  // namespace ladder::ptx
