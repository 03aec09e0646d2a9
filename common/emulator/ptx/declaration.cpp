#include "common/emulator/ptx/declaration.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "common/emulator/ptx/constant.hpp"

namespace ladder::ptx {
namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 48;
constexpr std::size_t most_dimensions = 16;

void parse_attributes(Context& context, VariableType& type) {
  TokenStream& tokens = context.tokens;
  tokens.expect('(', "after .attribute");
  while (!tokens.at(')')) {
    if (!tokens.at_directive()) tokens.fail_expected("an attribute");
    if (tokens.at_directive(".managed")) type.managed = true;
    tokens.advance();
    if (tokens.take('(')) {  // .unified(a, b)
      while (tokens.current().kind == Token::Kind::integer || tokens.at(',')) tokens.advance();
      tokens.expect(')', "of an attribute's values");
    }
    if (!tokens.take(',')) break;
  }
  tokens.expect(')', "after .attribute's list");
}

std::uint32_t parse_alignment(TokenStream& tokens) {
  const auto alignment = static_cast<std::uint32_t>(tokens.expect_small("an alignment", 1 << 20));
  if (!std::has_single_bit(alignment)) tokens.fail("an alignment must be a power of two");
  return alignment;
}

std::uint64_t parse_extent(TokenStream& tokens) {
  const Constant constant = parse_constant(tokens);
  if (constant.kind != Constant::Kind::integer) tokens.fail("an array size must be an integer");
  return constant.bits;
}

int lanes_of(std::string_view directive) {
  if (directive == ".v2") return 2;
  if (directive == ".v4") return 4;
  if (directive == ".v8") return 8;
  return 0;
}

}  // namespace

std::optional<Space> space_of(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".shared") return Space::shared;
  if (directive == ".param") return Space::param;
  if (directive == ".local") return Space::local;
  if (directive == ".const") return Space::constant;
  if (directive == ".tex") return Space::global;
  return std::nullopt;
}

VariableType parse_variable_type(Context& context) {
  TokenStream& tokens = context.tokens;
  VariableType result;
  bool pointer = false;
  while (tokens.at_directive()) {
    const std::string_view text = tokens.current().text;
    const std::optional<Type> type = type_of(text);
    const int lanes = lanes_of(text);
    if (type.has_value() && result.type == Type::none) {
      result.type = *type;
      tokens.advance();
    } else if (lanes != 0 && result.type == Type::none) {
      result.lanes = lanes;
      tokens.advance();
    } else if (text == ".align") {
      tokens.advance();
      const std::uint32_t alignment = parse_alignment(tokens);
      // After .ptr it is the pointed-to object's.
      if (!pointer) result.alignment = alignment;
    } else if (text == ".attribute") {
      tokens.advance();
      parse_attributes(context, result);
    } else if (text == ".ptr") {
      pointer = true;
      tokens.advance();
    } else if (pointer && space_of(text).has_value()) {
      tokens.advance();
    } else {
      tokens.fail("unknown type or attribute " + quoted(text));
    }
  }
  if (result.type == Type::none) tokens.fail_expected("a type");
  return result;
}

NamedVariable parse_declarator(Context& context, Space space, const VariableType& type,
                               const Linkage& linkage) {
  TokenStream& tokens = context.tokens;
  NamedVariable result;
  result.name = tokens.expect_identifier("a variable's name");
  Variable& variable = result.variable;
  variable.name = std::string(result.name);
  variable.space = space;
  variable.type = type.type;
  variable.external = linkage.external;
  variable.visible = linkage.visible;
  variable.weak = linkage.weak;
  variable.managed = type.managed;

  const auto element = static_cast<std::uint64_t>(bytes_of(type.type));
  if (element == 0 && space != Space::reg) tokens.fail("a variable in memory cannot be .pred");
  const std::uint64_t unit = element * static_cast<std::uint64_t>(type.lanes);
  variable.alignment = type.alignment != 0
                           ? type.alignment
                           : static_cast<std::uint32_t>(std::max<std::uint64_t>(unit, 1));
  std::uint64_t bytes = unit;
  std::vector<std::uint64_t> dimensions;
  while (tokens.take('[')) {
    const std::uint64_t extent = tokens.at(']') ? 0 : parse_extent(tokens);
    tokens.expect(']', "after an array size");
    if (extent == 0 && !dimensions.empty())
      tokens.fail("only the first dimension of an array may be left open");
    if (dimensions.size() == most_dimensions) tokens.fail("an array has too many dimensions");
    if (extent != 0 && bytes > largest_variable / extent)
      tokens.fail("variable " + quoted(result.name) + " is too large");
    if (extent != 0) bytes *= extent;
    dimensions.push_back(extent);
  }
  const bool open = !dimensions.empty() && dimensions[0] == 0;
  variable.bytes = open ? 0 : bytes;
  if (type.lanes > 1) dimensions.push_back(static_cast<std::uint64_t>(type.lanes));
  if (tokens.take('=')) parse_initializer(context, variable, std::move(dimensions));
  return result;
}

std::vector<NamedVariable> parse_parameters(Context& context) {
  TokenStream& tokens = context.tokens;
  std::vector<NamedVariable> parameters;
  if (!tokens.take('(')) return parameters;
  while (!tokens.at(')')) {
    Space space = Space::param;
    if (tokens.take_directive(".reg")) {
      space = Space::reg;
    } else if (!tokens.take_directive(".param")) {
      tokens.fail_expected("'.param' or '.reg'");
    }
    const VariableType type = parse_variable_type(context);
    if (space == Space::reg && type.lanes > 1)
      tokens.fail("a vector register cannot be a parameter");
    parameters.push_back(parse_declarator(context, space, type, {}));
    if (!tokens.take(',')) break;
  }
  tokens.expect(')', "after parameters");
  return parameters;
}

}  // namespace ladder::ptx
