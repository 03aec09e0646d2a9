// Parses functions: their heads, and the statements of their bodies.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/emulator/ptx/context.hpp"
#include "common/emulator/ptx/declaration.hpp"

namespace ladder::ptx {

class FunctionParser {
 public:
  FunctionParser(Context& context, const Linkage& linkage, bool entry);

  // From after .entry or .func to the end of the body or the ';' of a prototype. The function
  // joins the module, in place of its prototype if it had one.
  void parse();

 private:
  // A label, or what a label names. Labels of one scope hide those outside.
  struct LabelTarget {
    enum class Kind : std::uint8_t { instruction, branch_targets, prototype };
    Kind kind;
    int index;
  };
  // A use of a label, resolved when its scope ends.
  struct LabelUse {
    enum class Kind : std::uint8_t { operand, branch_target };
    Kind kind;
    int line;
    std::size_t owner;  // instruction or list of branch targets
    std::size_t slot;
    std::string_view name;
  };
  struct Scope {
    std::unordered_map<std::string_view, LabelTarget> labels;
    std::vector<LabelUse> uses;
  };

  // Heads.
  void head();
  bool head_directive();
  void dimensions(int (&values)[3]);
  void declare_parameters(std::vector<NamedVariable> parsed, Symbol::Kind kind,
                          std::vector<Variable>& to);
  void join_module();

  // Statements.
  void body();
  void open_scope();
  void close_scope();
  void statement();
  void directive_statement();
  void location();
  void registers();
  void local_variables(Space space);
  void label(std::string_view name, int line);
  void bind_label(std::string_view name, LabelTarget target, int line);
  void branch_targets(std::string_view name);
  void call_targets(std::string_view name);
  void call_prototype(std::string_view name);
  void instruction(std::string_view first, int line);
  void guard(Instruction& into);

  // Operands.
  void operands(Instruction& into);
  void call_operands(Instruction& into);
  Operand call_list();
  Operand call_target();
  Operand operand();
  Operand single_operand();
  Operand named_operand();
  Operand address_operand();
  Operand vector_operand();
  Operand constant_operand();
  Operand label_operand(std::size_t slot);
  Operand register_operand(const Symbol& found, std::string_view name, std::string_view suffix);
  Operand variable_operand(const std::string& name, Type type);
  std::int64_t offset();
  // Finds a name; a register of %r<100> comes into being at its first use.
  std::optional<Symbol> find(std::string_view name);
  std::string unique_name(std::string_view name);

  Context& context_;
  TokenStream& tokens_;
  Function function_;
  std::string_view name_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, int> name_uses_;
  std::unordered_set<std::string> taken_names_;
  int operand_depth_ = 0;

  // Of .loc.
  SourceLocation current_;
  std::map<std::tuple<int, int, int>, int> last_site_of_;  // file, line, column: inlined_at
  std::map<std::tuple<int, int, int, int, std::string_view>, int> sites_;
};

}  // namespace ladder::ptx
