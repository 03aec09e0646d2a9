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
