// What the generator can write: a line for each row of the instruction tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/emulator/fuzz/scribe.hpp"

namespace ladder::emulator::fuzz {

enum class Place : std::uint8_t {
  anywhere,
  kernel,   // not in a device function: needs memory, or words for an approximation
  uniform,  // where all threads of the block arrive together
};

struct Row {
  std::string name;
  Place place = Place::anywhere;
  std::function<std::string(Scribe&)> text;  // "": not in this program
};

const std::vector<Row>& rows();

// One file each.
void add_arithmetic_rows(std::vector<Row>& rows);
void add_composite_rows(std::vector<Row>& rows);
void add_memory_rows(std::vector<Row>& rows);
void add_atomic_rows(std::vector<Row>& rows);
void add_warp_rows(std::vector<Row>& rows);
void add_block_rows(std::vector<Row>& rows);
void add_matrix_rows(std::vector<Row>& rows);

}  // namespace ladder::emulator::fuzz
