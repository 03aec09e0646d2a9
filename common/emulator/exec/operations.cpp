#include "common/emulator/exec/operations.hpp"

#include <unordered_map>

namespace ladder::emulator {

namespace {

using Table = std::unordered_map<std::string_view, Operation>;

Table& table() {
  static Table entries;
  return entries;
}

void add(const Operation& operation) {
  table().emplace(operation.text, operation);
}

const Table& filled_table() {
  static const bool filled = [] {
    add_integer_operations(add);
    add_float_operations(add);
    add_compare_operations(add);
    add_half_operations(add);
    return true;
  }();
  static_cast<void>(filled);
  return table();
}

template <class T>
void blend_row(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  auto* row = reinterpret_cast<T*>(rows + inst.d);
  alignas(64) T before[lanes];
  std::memcpy(before, row, sizeof before);
  inst.operation(rows, inst, warp, all_lanes);
#pragma GCC ivdep
  for (int i = 0; i < lanes; ++i) row[i] = (mask & (1u << i)) != 0 ? row[i] : before[i];
}

void blend_predicate(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  u32 before, after;
  std::memcpy(&before, rows + inst.d, 4);
  inst.operation(rows, inst, warp, all_lanes);
  std::memcpy(&after, rows + inst.d, 4);
  after = (after & mask) | (before & ~mask);
  std::memcpy(rows + inst.d, &after, 4);
}

}  // namespace

const Operation* find_operation(std::string_view opcode) {
  const Table& entries = filled_table();
  const auto found = entries.find(opcode);
  return found == entries.end() ? nullptr : &found->second;
}

Handler blend_handler(RowKind result) {
  switch (result) {
    case RowKind::predicate:
      return &blend_predicate;
    case RowKind::word:
      return &blend_row<u32>;
    case RowKind::wide:
      return &blend_row<u64>;
  }
  return nullptr;
}

}  // namespace ladder::emulator
