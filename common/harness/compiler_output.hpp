// Turns nvcc's output into what a learner reads: the first errors, with short paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder {

// The error blocks of the output, in order: first line "file:line: error: ...", then the code and
// the caret. Warnings, remarks and the closing count are left out.
std::vector<std::string> error_blocks(std::string_view output);

// "FILE does not compile (3 errors):" and the first of them.
std::string compile_message(const std::vector<std::string>& errors, const std::string& shown_path);

// Paths below the current folder become relative to it.
std::string with_short_paths(std::string text);

}  // namespace ladder
