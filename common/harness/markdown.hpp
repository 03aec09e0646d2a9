// The little that is asked of Markdown's lines: where code is fenced off, and what a heading says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ladder {

// "```cpp" or "~~~", which begins a block of code or ends it.
bool turns_fence(std::string_view line);

// "## Title {#anchor}"; a heading need not have an anchor.
struct Heading {
  std::size_t level = 0;
  std::string title, anchor;
};
std::optional<Heading> heading_of(std::string_view line);

// "Title of `it`" -> "title_of_it"
std::string slug(std::string_view title);

}  // namespace ladder
