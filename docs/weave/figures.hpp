// Pictures made from the course's own data, as SVG figures.
#pragma once

#include <string>

#include "docs/weave/course.hpp"

namespace ladder::weave {

// Steps from top to bottom with the lines of descent between them; each leads to its page.
std::string step_graph(const Chapter& chapter);

// Speed of each step against the ceiling, at all measured sizes, on a logarithmic scale with the
// ceiling as a line. "" if no step was timed against one.
std::string ladder_plot(const Chapter& chapter, const Measurements& measured);

// Arithmetic speed over arithmetic intensity (operations for each byte that must move), both
// logarithmic, under the ceilings that were measured in the same run. "" if there are none, or no
// step computes anything.
std::string roofline(const Chapter& chapter, const Measurements& measured);

}  // namespace ladder::weave
