// Colours CUDA C++ for a page: one piece of HTML for each line, so that lines can be numbered,
// linked to and compared. The classes are Doxygen's own, which its themes colour.
#pragma once

#include <string>
#include <vector>

namespace ladder::weave {

// Every line by itself is balanced HTML; a comment that spans lines is closed and opened again.
std::vector<std::string> highlight(const std::vector<std::string>& lines);

}  // namespace ladder::weave
