// The little that is asked of Markdown's lines: where code is fenced off, and what a heading says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

// "```cpp" or "~~~", which begins a block of code or ends it.
bool turns_fence(std::string_view line);

// "## Title {#anchor}"; a heading need not have an anchor.
struct Heading {
  std::size_t level = 0;
  std::string title, anchor;
};
std::optional<Heading> heading_of(std::string_view line);

struct Section {
  int first_line = 0;
  std::vector<std::string> lines;  // without the heading
};
// The section below `heading` ("## Related work"), up to the next heading of its level or above; for
// "" all below the title. No lines if there is no such heading.
Section section_of(std::string_view text, const std::string& heading);

// "@include README.md ## Related work": a section of another file; nothing for any other line.
struct Include {
  std::string file;     // "build/…" if it is made
  std::string heading;  // "" for all of it but its title
};
std::optional<Include> include_of(std::string_view line);

// "Title of `it`" -> "title_of_it"
std::string slug(std::string_view title);

}  // namespace ladder
