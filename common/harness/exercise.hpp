// Generates an exercise's stub from its solution: holes emptied or replaced, `//!` lines after
// @solution dropped, nothing else touched.
//
//   // [hole load: ~3 lines] Stage one element per thread; mind the tail.
//   // [stub] tile[t] = input[i];
//   tile[t] = i < n ? input[i] : 0.0f;
//   // [/hole]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder {

// Throws UsageError "file:line: ..." for an unclosed, nested or duplicate hole.
std::string generate_stub(std::string_view solution, const std::string& file);

struct Sheet {
  std::string title;
  std::string statement;           // Markdown
  std::vector<std::string> hints;  // three, from gentle to nearly the answer
};
// "## Hint 1" .. "## Hint 3" after the statement. Throws UsageError "file:line: ...".
Sheet parse_sheet(std::string_view text, const std::string& file);

}  // namespace ladder
