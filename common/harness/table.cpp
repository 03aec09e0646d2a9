#include "common/harness/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace ladder {
namespace {

constexpr int kGap = 2, kIndent = 2, kNarrowest = 20;

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

std::string padded(const std::string& text, int width, Table::Align align) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - columns_of(text))), ' ');
  return align == Table::Align::right ? space + text : text + space;
}

int total_of(const std::vector<int>& widths) {
  int total = kIndent;
  for (const int width : widths) total += width > 0 ? width + kGap : 0;
  return total - kGap;
}

}  // namespace

int columns_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string cut_to(std::string_view text, int columns, bool unicode) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::string_view mark = unicode ? "…" : "~";
  int left = columns - 1;
  std::size_t end = 0;
  while (end < text.size() && (left > 0 || !starts_character(text[end]))) {
    if (starts_character(text[end])) --left;
    ++end;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + std::string(mark);
}

std::string short_number(double value) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  const bool whole = value == std::floor(value) && unit == 0;
  const int decimals = whole || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s", decimals, value, kUnits[unit]);
  return text;
}

std::string coloured(std::string_view text, Colour colour, const Style& style) {
  static constexpr const char* kCodes[] = {"", "32", "31", "33", "2", "1"};
  if (!style.colour || colour == Colour::none || text.empty()) return std::string(text);
  return std::string("\033[") + kCodes[static_cast<std::size_t>(colour)] + "m" + std::string(text) +
         "\033[0m";
}

void Table::add(std::vector<std::string> cells, std::vector<Colour> colours) {
  cells.resize(columns_.size());
  colours.resize(columns_.size(), Colour::none);
  rows_.push_back({std::move(cells), std::move(colours)});
}

std::string Table::text(const Style& style) const {
  std::vector<int> widths(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const Row& row : rows_) widths[i] = std::max(widths[i], columns_of(row.cells[i]));
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_of(columns_[i].head));
  }
  while (total_of(widths) > style.width) {
    const int excess = total_of(widths) - style.width;
    std::size_t drop = columns_.size();
    bool cut = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].cuttable && widths[i] > kNarrowest) {
        widths[i] = std::max(kNarrowest, widths[i] - excess);
        cut = true;
        break;
      }
      if (widths[i] == 0 || columns_[i].keep == 9) continue;
      if (drop == columns_.size() || columns_[i].keep <= columns_[drop].keep) drop = i;
    }
    if (cut) continue;
    if (drop == columns_.size()) break;
    widths[drop] = 0;
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of, const auto& colour_of) {
    std::string line(kIndent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (line.size() > kIndent) line += std::string(kGap, ' ');
      const std::string cell = cut_to(cell_of(i), widths[i], style.unicode);
      line += coloured(padded(cell, widths[i], columns_[i].align), colour_of(i), style);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].head; },
           [](std::size_t) { return Colour::dim; });
  for (const Row& row : rows_)
    add_line([&](std::size_t i) { return row.cells[i]; },
             [&](std::size_t i) { return row.colours[i]; });
  return text;
}

}  // namespace ladder
