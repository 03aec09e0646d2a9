// Initial values of variables: numbers, addresses of symbols, nested braces.
#include <bit>
#include <cstdint>

#include "common/emulator/ptx/constant.hpp"
#include "common/emulator/ptx/declaration.hpp"

namespace ladder::ptx {
namespace {

bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

class Initializer {
 public:
  Initializer(Context& context, Variable& variable, std::vector<std::uint64_t> dimensions)
      : context_(context),
        tokens_(context.tokens),
        variable_(variable),
        dimensions_(std::move(dimensions)),
        element_(static_cast<std::uint64_t>(bytes_of(variable.type))) {
    open_ = !dimensions_.empty() && dimensions_[0] == 0;
    // strides_[d]: bytes of one element of dimension d.
    strides_.assign(dimensions_.size() + 1, element_);
    for (std::size_t d = dimensions_.size(); d-- > 1;)
      strides_[d - 1] = strides_[d] * dimensions_[d];
    strides_.pop_back();
  }

  void parse() {
    if (tokens_.at('{')) {
      const std::uint64_t end = braces(0, 0);
      if (open_) variable_.bytes = end;
    } else {
      if (!dimensions_.empty()) tokens_.fail("an array's initial values need braces");
      value(0);
    }
  }

 private:
  // Values of dimension `level` from byte `start`; returns the byte after the last.
  std::uint64_t braces(std::size_t level, std::uint64_t start) {
    tokens_.expect('{', "before initial values");
    const std::uint64_t stride = level < strides_.size() ? strides_[level] : element_;
    const std::uint64_t extent = level < dimensions_.size() ? dimensions_[level] : 1;
    const bool unlimited = level == 0 && open_;
    std::uint64_t at = start;
    while (!tokens_.at('}')) {
      const std::uint64_t needed = tokens_.at('{') ? stride : element_;
      if (!unlimited && at + needed > start + stride * extent)
        tokens_.fail("variable " + quoted(variable_.name) + " has more initial values than room");
      if (tokens_.at('{')) {
        if (level + 1 >= dimensions_.size())
          tokens_.fail("initial values are nested deeper than the array");
        braces(level + 1, at);
        at += stride;
      } else {
        value(at);
        at += element_;
      }
      if (!tokens_.take(',')) break;
    }
    tokens_.expect('}', "after initial values");
    // An open array ends with a whole row.
    return (at - start + stride - 1) / stride * stride + start;
  }

  void value(std::uint64_t at) {
    if (tokens_.at_identifier() && !tokens_.at_identifier("WARP_SZ")) {
      address(at, 0);
      return;
    }
    const Constant constant = parse_constant(tokens_);
    if (constant.kind == Constant::Kind::integer && tokens_.take('(')) {  // 0xFF00(symbol)
      if (constant.bits == 0) tokens_.fail("a mask of an address must not be 0");
      address(at, std::countr_zero(constant.bits));
      tokens_.expect(')', "after a masked address");
      return;
    }
    store(at, converted(constant));
  }

  // symbol, symbol + 4, generic(symbol) + 4, generic(symbol + 4).
  void address(std::uint64_t at, int shift) {
    Variable::Relocation relocation{};
    relocation.offset = at;
    relocation.bytes = static_cast<int>(element_);
    relocation.shift = shift;
    relocation.generic = false;
    std::string_view name = tokens_.expect_identifier("a name or a number");
    if (name == "generic" && tokens_.take('(')) {
      relocation.generic = true;
      name = tokens_.expect_identifier("a name");
      relocation.addend = addend();
      tokens_.expect(')', "after generic()'s name");
    }
    relocation.symbol = resolved(name);
    relocation.addend += addend();
    store(at, 0);
    variable_.relocations.push_back(std::move(relocation));
  }

  std::int64_t addend() {
    if (!tokens_.at('+') && !tokens_.at('-')) return 0;
    const Constant constant = parse_constant(tokens_);
    if (constant.kind != Constant::Kind::integer) tokens_.fail("an offset must be an integer");
    // Far beyond any variable, and safe to add.
    const auto offset = static_cast<std::int64_t>(constant.bits);
    if (offset > INT64_MAX / 4 || offset < INT64_MIN / 4) tokens_.fail("an offset is too large");
    return offset;
  }

  std::string resolved(std::string_view name) {
    if (name == variable_.name) return variable_.name;
    const std::optional<Symbol> found = context_.symbols.find(name);
    if (found.has_value() && found->kind == Symbol::Kind::module_variable)
      return context_.module.variables[static_cast<std::size_t>(found->index)].name;
    if (found.has_value() && found->kind == Symbol::Kind::function)
      return context_.module.functions[static_cast<std::size_t>(found->index)].name;
    tokens_.fail("unknown name " + quoted(name) + " in an initial value");
  }

  std::uint64_t converted(const Constant& constant) {
    if (constant.kind == Constant::Kind::integer && !is_float(variable_.type)) return constant.bits;
    if (variable_.type == Type::f64 || (element_ == 8 && constant.kind == Constant::Kind::float64))
      return std::bit_cast<std::uint64_t>(constant.as_double());
    if (variable_.type == Type::f32 && constant.kind != Constant::Kind::float32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(constant.as_double()));
    if (element_ == 4 && constant.kind == Constant::Kind::float32) return constant.bits;
    tokens_.fail("an initial value of " + quoted(variable_.name) + " does not fit its type ." +
                 std::string(name_of(variable_.type)));
  }

  void store(std::uint64_t at, std::uint64_t bits) {
    std::vector<std::uint8_t>& initial = variable_.initial;
    const std::uint64_t end = at + element_;
    if (end > initial.size()) {
      const std::uint64_t growth = end - initial.size();
      if (growth > context_.initial_bytes_left) tokens_.fail("initial values take too much memory");
      context_.initial_bytes_left -= growth;
      initial.resize(end);
    }
    for (std::uint64_t i = 0; i < element_ && i < 8; ++i)
      initial[at + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }

  Context& context_;
  TokenStream& tokens_;
  Variable& variable_;
  std::vector<std::uint64_t> dimensions_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t element_;
  bool open_ = false;
};

}  // namespace

void parse_initializer(Context& context, Variable& variable,
                       std::vector<std::uint64_t> dimensions) {
  Initializer(context, variable, std::move(dimensions)).parse();
}

}  // namespace ladder::ptx
