// Declarations of variables, parameters and registers, with initialisers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/emulator/ptx/context.hpp"

namespace ladder::ptx {

struct Linkage {
  bool visible = false, external = false, weak = false;
};

// ".global" and so on; nullopt for any other directive.
std::optional<Space> space_of(std::string_view directive);
// ".u32"; nullopt for any other directive.
std::optional<Type> type_of(std::string_view directive);

// What stands before the names of a declaration: .attribute(.managed) .align 8 .v2 .f32 .ptr …
struct VariableType {
  Type type = Type::none;
  int lanes = 1;  // .v4: 4
  std::uint32_t alignment = 0;
  bool managed = false;
};
VariableType parse_variable_type(Context& context);

struct NamedVariable {
  std::string_view name;  // in the text: the key in symbol tables
  Variable variable;
};

// One `name[3][4] = {…}`, after the state space and type.
NamedVariable parse_declarator(Context& context, Space space, const VariableType& type,
                               const Linkage& linkage);

// `= …` of a variable; `dimensions` outermost first, 0: as many as there are values.
void parse_initializer(Context& context, Variable& variable, std::vector<std::uint64_t> dimensions);

// `(.param .b32 a, .reg .u32 b)`; an absent list is empty.
std::vector<NamedVariable> parse_parameters(Context& context);

}  // namespace ladder::ptx
