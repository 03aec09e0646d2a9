#include "common/emulator/ptx/module.hpp"

#include <array>
#include <optional>

#include "common/emulator/ptx/declaration.hpp"

namespace ladder::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  int bytes;
};
// In the order of Type.
constexpr std::array<TypeFacts, 25> type_facts = {{
    {"none", 0}, {"pred", 0},  {"b8", 1},     {"b16", 2},        {"b32", 4},
    {"b64", 8},  {"b128", 16}, {"u8", 1},     {"u16", 2},        {"u32", 4},
    {"u64", 8},  {"s8", 1},    {"s16", 2},    {"s32", 4},        {"s64", 8},
    {"f16", 2},  {"f16x2", 4}, {"bf16", 2},   {"bf16x2", 4},     {"tf32", 4},
    {"f32", 4},  {"f64", 8},   {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
}};
static_assert(type_facts.size() == static_cast<std::size_t>(Type::surfref) + 1);

}  // namespace

ParseError::ParseError(int at, const std::string& message)
    : std::runtime_error("line " + std::to_string(at) + ": " + message), line(at) {}

int bytes_of(Type type) {
  return type_facts[static_cast<std::size_t>(type)].bytes;
}

std::string_view name_of(Type type) {
  return type_facts[static_cast<std::size_t>(type)].name;
}

std::optional<Type> type_of(std::string_view directive) {
  if (directive.size() < 2 || directive[0] != '.') return std::nullopt;
  for (std::size_t i = 1; i < type_facts.size(); ++i)
    if (type_facts[i].name == directive.substr(1)) return static_cast<Type>(i);
  return std::nullopt;
}

}  // namespace ladder::ptx
