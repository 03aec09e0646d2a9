// Small operations on text that the parsers of the course's files share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder {

std::string_view trim(std::string_view text);
std::vector<std::string> lines_of(std::string_view text);     // without their newlines
std::vector<std::string> split_words(std::string_view text);  // at blanks
std::vector<std::string> split_list(std::string_view text, char separator);  // trimmed parts
std::string join(const std::vector<std::string>& parts, std::string_view between);

// Insertions, deletions and replacements of a character that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest edit distance to `name`, or "" if none is near enough to be
// what was meant.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace ladder
