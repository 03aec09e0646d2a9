// The top level of a PTX text: directives, module variables, debug sections, functions.
#include <charconv>

#include "common/emulator/ptx/context.hpp"
#include "common/emulator/ptx/declaration.hpp"
#include "common/emulator/ptx/function_parser.hpp"

namespace ladder::ptx {
namespace {

constexpr int largest_file_number = 1 << 16;
constexpr int newest_version = 9;  // of PTX, that of toolkit 13

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text)
      : context_(text), tokens_(context_.tokens), module_(context_.module) {}

  Module parse() {
    if (!tokens_.at_directive(".version"))
      tokens_.fail_expected("PTX, which starts with '.version'");
    while (!tokens_.at_end()) statement();
    if (module_.target.empty()) tokens_.fail("the text has no '.target'");
    if (module_.files.empty()) module_.files.emplace_back();
    for (Function& function : module_.functions) finish(function);
    for (const Alias& alias : aliases_) resolve(alias);
    return std::move(module_);
  }

 private:
  struct Alias {
    std::string_view name, target;
    int line;
  };

  void statement() {
    if (tokens_.take(';')) return;
    if (tokens_.at('@')) {  // @@DWARF, of PTX before 2.0
      tokens_.skip_line();
      return;
    }
    if (!tokens_.at_directive()) tokens_.fail_expected("a directive");
    const std::string_view text = tokens_.current().text;
    if (text == ".version") {
      version();
    } else if (text == ".target") {
      target();
    } else if (text == ".address_size") {
      tokens_.advance();
      if (tokens_.expect_integer("an address size") != 64)
        tokens_.fail("only 64-bit addresses are supported: compile with -m64");
    } else if (text == ".file") {
      file();
    } else if (text == ".section") {
      section();
    } else if (text == ".alias") {
      alias();
    } else if (text == ".pragma") {
      tokens_.advance();
      while (tokens_.current().kind == Token::Kind::string || tokens_.at(',')) tokens_.advance();
      tokens_.expect(';', "after .pragma");
    } else {
      declaration();
    }
  }

  void version() {
    tokens_.advance();
    const Token token = tokens_.current();
    const std::string_view text = token.text;
    const std::size_t dot = text.find('.');
    const bool digits = text.find_first_not_of("0123456789.") == std::string_view::npos;
    if (token.kind != Token::Kind::float64 || dot == std::string_view::npos || !digits)
      tokens_.fail_expected("a version such as 8.0");
    std::from_chars(text.data(), text.data() + dot, module_.version_major);
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), module_.version_minor);
    if (dot > 2 || module_.version_major > newest_version)
      tokens_.fail("PTX version " + std::string(text.substr(0, 20)) + ": this emulator knows " +
                   std::to_string(newest_version) + ".x and older");
    tokens_.advance();
  }

  void target() {
    tokens_.advance();
    do {
      const std::string_view name = tokens_.expect_identifier("a target such as sm_75");
      const std::size_t digits = name.find_first_of("0123456789");
      if (!module_.target.empty() || digits == std::string_view::npos) continue;
      module_.target = std::string(name);
      std::from_chars(name.data() + digits, name.data() + name.size(), module_.architecture);
    } while (tokens_.take(','));
  }

  // .file number "name"[, time, bytes]
  void file() {
    tokens_.advance();
    const auto number =
        static_cast<std::size_t>(tokens_.expect_small("a file's number", largest_file_number));
    if (tokens_.current().kind != Token::Kind::string) tokens_.fail_expected("a file's name");
    if (module_.files.size() <= number) module_.files.resize(number + 1);
    module_.files[number] = std::string(tokens_.current().text);
    tokens_.advance();
    while (tokens_.take(',')) tokens_.expect_integer("a time or a size");
  }

  // Debug information; only the strings that .loc refers to are read.
  void section() {
    tokens_.advance();
    const bool strings = tokens_.at_directive(".debug_str");
    while (!tokens_.at('{') && !tokens_.at_end()) tokens_.advance();
    tokens_.expect('{', "after .section");
    std::string_view name;
    std::string* string = nullptr;
    while (!tokens_.at('}')) {
      if (tokens_.at_end()) tokens_.fail("a .section never ends: a '}' is missing");
      const Token token = tokens_.current();
      if (token.kind == Token::Kind::identifier) {
        name = token.text;
      } else if (tokens_.at(':') && strings) {
        string = &context_.debug_strings[name];
      } else if (token.kind == Token::Kind::integer && string != nullptr) {
        if (token.bits == 0) {
          string = nullptr;
        } else {
          string->push_back(static_cast<char>(token.bits));
        }
      }
      tokens_.advance();
    }
    tokens_.advance();
  }

  void alias() {
    tokens_.advance();
    Alias alias;
    alias.line = tokens_.line();
    alias.name = tokens_.expect_identifier("a function's name");
    tokens_.expect(',', "between the names of .alias");
    alias.target = tokens_.expect_identifier("a function's name");
    tokens_.expect(';', "after .alias");
    aliases_.push_back(alias);
  }

  void declaration() {
    Linkage linkage;
    for (; tokens_.at_directive(); tokens_.advance()) {
      const std::string_view text = tokens_.current().text;
      if (text == ".visible") {
        linkage.visible = true;
      } else if (text == ".extern") {
        linkage.external = true;
      } else if (text == ".weak" || text == ".common") {
        linkage.weak = true;
      } else {
        break;
      }
    }
    if (!tokens_.at_directive()) tokens_.fail_expected("a declaration");
    const std::string_view text = tokens_.current().text;
    if (text == ".entry" || text == ".func") {
      tokens_.advance();
      FunctionParser(context_, linkage, text == ".entry").parse();
      return;
    }
    const std::optional<Space> space = space_of(text);
    if (!space.has_value()) tokens_.fail("unknown directive " + quoted(text));
    tokens_.advance();
    variables(*space, linkage);
  }

  void variables(Space space, const Linkage& linkage) {
    const VariableType type = parse_variable_type(context_);
    do {
      NamedVariable named = parse_declarator(context_, space, type, linkage);
      const Symbol symbol{Symbol::Kind::module_variable, static_cast<int>(module_.variables.size()),
                          0, type.type};
      if (context_.symbols.declare(named.name, symbol)) {
        module_.variables.push_back(std::move(named.variable));
      } else {
        redeclare(named);
      }
    } while (tokens_.take(','));
    tokens_.expect(';', "after a variable");
  }

  void redeclare(NamedVariable& named) {
    const std::optional<Symbol> known = context_.symbols.find(named.name);
    if (known->kind != Symbol::Kind::module_variable)
      tokens_.fail(quoted(named.name) + " is a function and a variable");
    Variable& earlier = module_.variables[static_cast<std::size_t>(known->index)];
    if (named.variable.external || named.variable.weak) return;
    if (!earlier.external && !earlier.weak)
      tokens_.fail("variable " + quoted(named.name) + " is defined twice");
    earlier = std::move(named.variable);
  }

  // Names of inlined functions; files that .loc invents become file 0.
  void finish(Function& function) {
    for (InlineSite& site : function.inline_sites) {
      const auto name = context_.debug_strings.find(site.function);
      site.function = name == context_.debug_strings.end() ? std::string() : name->second;
      check_file(site.call);
    }
    for (Instruction& instruction : function.body) check_file(instruction.source);
    check_file(function.source);
  }
  void check_file(SourceLocation& location) const {
    if (static_cast<std::size_t>(location.file) >= module_.files.size()) location.file = 0;
  }

  void resolve(const Alias& alias) {
    Function* to = function(alias.name, alias.line);
    const Function* from = function(alias.target, alias.line);
    if (!from->defined)
      throw ParseError(alias.line, ".alias to " + quoted(alias.target) + ", which has no body");
    if (to->defined)
      throw ParseError(alias.line, ".alias of " + quoted(alias.name) + ", which has a body");
    const bool visible = to->visible, weak = to->weak;
    *to = *from;
    to->name = std::string(alias.name);
    to->visible = visible;
    to->weak = weak;
  }
  Function* function(std::string_view name, int line) {
    const std::optional<Symbol> found = context_.symbols.find(name);
    if (!found.has_value() || found->kind != Symbol::Kind::function)
      throw ParseError(line, ".alias names unknown function " + quoted(name));
    return &module_.functions[static_cast<std::size_t>(found->index)];
  }

  Context context_;
  TokenStream& tokens_;
  Module& module_;
  std::vector<Alias> aliases_;
};

}  // namespace

Module parse(std::string_view text) {
  return ModuleParser(text).parse();
}

}  // namespace ladder::ptx
