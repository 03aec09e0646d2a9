#include "docs/weave/html.hpp"

#include <cmath>
#include <cstdio>

#include "common/harness/table.hpp"

namespace ladder::weave {

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string inline_code(std::string_view text) {
  std::string html;
  bool code = false;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t tick = std::min(text.find('`', begin), text.size());
    const std::string part = escape(text.substr(begin, tick - begin));
    html += code && tick < text.size() ? "<code>" + part + "</code>" : part;
    code = !code;
    begin = tick + 1;
  }
  return html;
}

std::string link(std::string_view href, std::string_view text) {
  return "<a href=\"" + escape(href) + "\">" + escape(text) + "</a>";
}

std::string breakable(std::string_view name) {
  std::string html;
  const std::string_view joints = name.find('/') == name.npos ? "._" : "/";
  for (const char c : name) {
    html += escape(std::string_view(&c, 1));
    if (joints.find(c) != joints.npos) html += "<wbr>";
  }
  return html;
}

std::string HtmlTable::row_html(const Row& row, bool stacked) const {
  if (row.heads_group) {
    return "<tr class=\"kl-group\"><th scope=\"colgroup\" colspan=\"" +
           std::to_string(head_.size()) + "\">" + row.cells.front() + "</th></tr>\n";
  }
  std::string html = "<tr>";
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (stacked && i > 0) {
      html += "<td><span class=\"kl-head\">" + head_[i] + "</span><span>" + row.cells[i] +
              "</span></td>";
    } else {
      html += "<td>" + row.cells[i] + "</td>";
    }
  }
  return html + "</tr>\n";
}

std::string HtmlTable::text() const {
  const bool stacked = css_class_.find("kl-stack") != std::string::npos;
  std::string html =
      "<div class=\"kl-scroll\" tabindex=\"0\"><table class=\"" + css_class_ + "\"><thead><tr>";
  for (const std::string& cell : head_) html += "<th scope=\"col\">" + cell + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const Row& row : rows_) html += row_html(row, stacked);
  return html + "</tbody></table></div>\n";
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

int shown_as_power_of_two(double value) {
  int exponent = 0;
  const bool power = std::frexp(value, &exponent) == 0.5 && exponent > 17;
  return power ? exponent - 1 : 0;
}

std::string size_text(double value) {
  const int exponent = shown_as_power_of_two(value);
  if (exponent > 0) return "2<sup>" + std::to_string(exponent) + "</sup>";
  if (value >= 1e6 && std::fmod(value, 1e5) == 0) {
    return fixed(value / 1e6, std::fmod(value, 1e6) == 0 ? 0 : 1) + " million";
  }
  return value == std::floor(value) ? count_text(value) : fixed(value, 3);
}

std::string sizes_text(const std::vector<std::pair<std::string, double>>& sizes, const Words& say) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text +=
        (text.empty() ? "" : ", ") + escape(name) + "\u00a0=\u00a0" + say.name(size_text(value));
  }
  return text;
}

std::string rate_text(double value) {
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) return rate_text(microseconds / 1e6) + "\u00a0s";
  if (microseconds >= 1e4) return rate_text(microseconds / 1e3) + "\u00a0ms";
  return rate_text(microseconds) + "\u00a0µs";
}

std::string percent_text(double ratio) {
  const double percent = 100 * ratio;
  if (percent >= 10) return fixed(percent, 1) + "\u00a0%";
  const int decimals = percent > 0 ? 1 - static_cast<int>(std::floor(std::log10(percent))) : 1;
  return fixed(percent, std::max(decimals, 1)) + "\u00a0%";
}

std::string count_text(double value) {
  std::string digits = fixed(value, 0);
  for (std::size_t place = digits.size(); place > 3 + (value < 0 ? 1u : 0u); place -= 3) {
    digits.insert(place - 3, "\u202f");
  }
  return digits;
}

std::string counter_text(double value) {
  if (value == std::floor(value)) return count_text(value);
  return fixed(value, std::abs(value) < 0.1 ? 4 : 2);
}

}  // namespace ladder::weave
