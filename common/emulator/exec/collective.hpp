// Operations in which lanes see each other's values, and others with a handler of their own.
#pragma once

#include <span>
#include <string_view>

#include "common/emulator/exec/lanewise.hpp"

namespace ladder::emulator {

struct Collective {
  const char* text;
  Handler handler;
  RowKind result;  // of d
  bool has_result;
  bool second_predicate;  // may be written d|p
  int sources;
  RowKind source[4];
  int members;  // which source is the member mask; -1: none, does not wait
};

const Collective* find_collective(std::string_view opcode);
std::span<const Collective> all_collectives();

// Whether it waits for the lanes of a member mask.
bool meets_members(std::string_view opcode);

}  // namespace ladder::emulator
