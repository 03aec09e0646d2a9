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

std::string HtmlTable::text() const {
  std::string html =
      "<div class=\"kl-scroll\" tabindex=\"0\"><table class=\"" + css_class_ + "\"><thead><tr>";
  for (const std::string& cell : head_) html += "<th scope=\"col\">" + cell + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& row : rows_) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + cell + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string size_text(double value) {
  int exponent = 0;
  const bool power = std::frexp(value, &exponent) == 0.5 && exponent > 11;
  if (power) return "2<sup>" + std::to_string(exponent - 1) + "</sup>";
  if (value >= 1e6 && std::fmod(value, 1e5) == 0) {
    return fixed(value / 1e6, std::fmod(value, 1e6) == 0 ? 0 : 1) + " million";
  }
  return value == std::floor(value) ? count_text(value) : fixed(value, 3);
}

std::string sizes_text(const std::vector<std::pair<std::string, double>>& sizes, const Words& say) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += (text.empty() ? "" : ", ") + escape(name) + " = " + say.name(size_text(value));
  }
  return text;
}

std::string time_text(double microseconds) {
  const char* unit = " µs";
  if (microseconds >= 1e6) {
    microseconds /= 1e6;
    unit = " s";
  } else if (microseconds >= 1e4) {
    microseconds /= 1e3;
    unit = " ms";
  }
  return fixed(microseconds, microseconds >= 100 ? 0 : microseconds >= 10 ? 1 : 2) + unit;
}

std::string percent_text(double ratio) {
  const double percent = 100 * ratio;
  if (percent >= 10) return fixed(percent, 1) + " %";
  const int decimals = percent > 0 ? 1 - static_cast<int>(std::floor(std::log10(percent))) : 1;
  return fixed(percent, std::max(decimals, 1)) + " %";
}

std::string count_text(double value) {
  std::string digits = fixed(value, 0);
  for (std::size_t place = digits.size(); place > 3 + (value < 0 ? 1u : 0u); place -= 3) {
    digits.insert(place - 3, "\u202f");
  }
  return digits;
}

}  // namespace ladder::weave
