// A solver's text as HTML: numbered lines that can be linked to, and comparisons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/harness/solver_header.hpp"
#include "docs/weave/prose.hpp"

namespace ladder::weave {

// Prose and code in the order of the file.
struct Segment {
  bool prose = false;
  int first_line = 0;
  std::vector<std::string> lines;  // prose without "//!"
};
// Keys, the title, and what stands behind @solution unless asked for belong to none.
std::vector<Segment> segments_of(const std::vector<std::string>& lines, const SolverHeader& header,
                                 bool with_solution = false);

// The code alone, without blank lines at its ends.
std::vector<std::string> code_of(const std::vector<Segment>& segments);

// Lines with their numbers in the file, each an address of its own ("#L12").
std::string numbered_listing(const std::vector<std::string>& lines, int first_line,
                             const Words& say = {});

// Code with a button that copies it.
std::string plain_listing(const std::vector<std::string>& code);

// Prose and code interleaved. The prose ahead of the first code is not part of it.
void add_program(Page& page, const std::vector<Segment>& segments, const std::string& file,
                 const Translation& translation, const Words& say);

// Folded; "+14 −6" on its face; side by side where there is room.
std::string difference_html(const std::vector<std::string>& before,
                            const std::vector<std::string>& after, const std::string& parent_title,
                            const std::string& parent_file, const Words& say);

}  // namespace ladder::weave
