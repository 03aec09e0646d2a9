#include "common/harness/markdown.hpp"

#include <cctype>

#include "common/harness/text.hpp"

namespace ladder {

bool turns_fence(std::string_view line) {
  const std::string_view said = trim(line);
  return said.substr(0, 3) == "```" || said.substr(0, 3) == "~~~";
}

std::optional<Heading> heading_of(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == line.npos || level == 0 || line[level] != ' ') return std::nullopt;
  Heading heading{level, std::string(trim(line.substr(level))), ""};
  const std::size_t brace = heading.title.rfind(" {#");
  if (brace != std::string::npos && heading.title.back() == '}') {
    heading.anchor = heading.title.substr(brace + 3, heading.title.size() - brace - 4);
    heading.title.resize(brace);
  }
  return heading;
}

Section section_of(std::string_view text, const std::string& heading) {
  const auto level_of = [](std::string_view line) {
    const std::optional<Heading> found = heading_of(line);
    return found ? found->level : 0;
  };
  Section section;
  const std::size_t level = heading.empty() ? 1 : level_of(heading);
  bool inside = false, fenced = false;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (turns_fence(line)) fenced = !fenced;
    const std::size_t found = fenced ? 0 : level_of(line);
    if (inside && found > 0 && found <= level) break;
    if (inside) section.lines.push_back(line);
    if (!inside && (heading.empty() ? found == 1 : line == heading)) {
      inside = true;
      section.first_line = number + 1;
    }
  }
  return section;
}

std::optional<Include> include_of(std::string_view line) {
  constexpr std::string_view mark = "@include ";
  if (!line.starts_with(mark)) return std::nullopt;
  line.remove_prefix(mark.size());
  const std::size_t heading = line.find(" #");
  return Include{std::string(trim(line.substr(0, heading))),
                 std::string(heading == line.npos ? "" : trim(line.substr(heading)))};
}

std::string slug(std::string_view title) {
  std::string text;
  for (const char c : title) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!letter && !text.empty() && text.back() != '_') text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text;
}

}  // namespace ladder
