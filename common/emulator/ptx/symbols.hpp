// Which name means what, scope by scope. Depth 0 is the module, 1 a function, more its braces.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/emulator/ptx/module.hpp"

namespace ladder::ptx {

struct Symbol {
  enum class Kind : std::uint8_t {
    scalar,          // index into Function::registers
    vector2,         // the first of 2 registers
    vector4,         // the first of 4
    parameter,       // index into Function::parameters
    returned,        // index into Function::returns
    local_variable,  // index into Function::variables
    module_variable,
    function,
    register_range,  // %r<100>, not used so far: `type`, declare it at `depth`
  };
  Kind kind = Kind::scalar;
  int index = -1;
  int depth = 0;
  Type type = Type::none;
};

// Names are views into the text, which must outlive the table.
class SymbolTable {
 public:
  SymbolTable();

  void enter();
  void leave();
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  // At symbol.depth, which must be open. False: the name is taken there.
  bool declare(std::string_view name, Symbol symbol);
  // %r<count> at the innermost depth: %r0 … %r(count-1), however large count is.
  bool declare_range(std::string_view base, std::uint64_t count, Type type);

  // The innermost meaning.
  std::optional<Symbol> find(std::string_view name) const;

 private:
  struct Range {
    std::uint64_t count;
    Type type;
    int depth;
  };
  struct Scope {
    // What to put back when the scope ends.
    std::vector<std::pair<std::string_view, std::optional<Symbol>>> hidden;
    std::vector<std::string_view> ranges;
    int outer_range_depth = -1;
  };
  const Range* find_range(std::string_view name) const;

  std::unordered_map<std::string_view, Symbol> symbols_;
  std::unordered_map<std::string_view, std::vector<Range>> ranges_;  // outermost first
  std::vector<Scope> scopes_;
  int deepest_range_ = -1;
};

}  // namespace ladder::ptx
