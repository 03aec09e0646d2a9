// HTML as text: escaping, and numbers as pages show them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "docs/weave/words.hpp"

namespace ladder::weave {

// For text and for attribute values in double quotes.
std::string escape(std::string_view text);

// "a `b` *c*" of an idea, a hint's first words: code in backticks, the rest escaped.
std::string inline_code(std::string_view text);

// `<a href="href">text</a>`; the text is escaped.
std::string link(std::string_view href, std::string_view text);

// A path or a counter's name, which may be broken where its parts meet; escaped.
std::string breakable(std::string_view name);

// A table with a head; cells are HTML. How columns stand is its class's affair (ladder.css): in a
// "kl-stack" each row becomes a list on a narrow screen, where every cell says its column's head.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> head, std::string css_class = "kl-table")
      : head_(std::move(head)), css_class_(std::move(css_class)) {}
  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
  // A heading over the rows that follow.
  void group(std::string heading) { rows_.push_back({{std::move(heading)}, true}); }
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool heads_group;
  };
  std::string row_html(const Row& row, bool stacked) const;

  std::vector<std::string> head_;
  std::string css_class_;
  std::vector<Row> rows_;
};

// 28 for 2^28; 0 for what is no power of two, or short enough to be read as it is: 65536.
int shown_as_power_of_two(double value);
// "2<sup>28</sup>", "25 million", "4096": how a size is said.
std::string size_text(double value);
// "N = 2<sup>28</sup>" for each of "N=268435456 M=7".
std::string sizes_text(const std::vector<std::pair<std::string, double>>& sizes,
                       const Words& say = {});
// At least 3 significant digits: "4271", "73.9", "1.41".
std::string rate_text(double value);
// The same with its unit: "73.9 µs", "1.41 s". Like all of these it is not broken at its blanks.
std::string time_text(double microseconds);
// "102.0 %", "0.18 %": at least two significant digits.
std::string percent_text(double ratio);
// "12 345": thin spaces between thousands.
std::string count_text(double value);
// The same, but "4.86" or "0.0036" for what is no whole number, as ratios are.
std::string counter_text(double value);
// "%.*f"
std::string fixed(double value, int decimals);

}  // namespace ladder::weave
