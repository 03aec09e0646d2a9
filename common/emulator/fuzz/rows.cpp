#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    add_arithmetic_rows(made);
    add_composite_rows(made);
    add_memory_rows(made);
    add_atomic_rows(made);
    add_warp_rows(made);
    add_block_rows(made);
    add_matrix_rows(made);
    return made;
  }();
  return all;
}

}  // namespace ladder::emulator::fuzz
