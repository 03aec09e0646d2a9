// Text tables that fit a terminal: columns by content, the last ones dropped and one cut when the
// window is narrow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/harness/report.hpp"

namespace ladder {

// Columns that UTF-8 text takes on a terminal, one for each code point.
int columns_of(std::string_view text);
// At most `columns` of them, with an ellipsis where something was cut.
std::string cut_to(std::string_view text, int columns, bool unicode);

// "1.23 M" for 1234567: three digits.
std::string short_number(double value);

enum class Colour { none, green, red, yellow, dim, bold };
std::string coloured(std::string_view text, Colour colour, const Style& style);

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string head;
    Align align = Align::left;
    bool cuttable = false;  // may be cut, down to 20 columns, before others are dropped
    int keep = 1;           // those with the lowest number are dropped first; 9 never
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell for each column; `colours` may be shorter.
  void add(std::vector<std::string> cells, std::vector<Colour> colours = {});
  std::string text(const Style& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Colour> colours;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace ladder
