// From pages to a folder that a browser opens: Markdown on disk, Doxygen, theme, search, contents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "docs/weave/course.hpp"
#include "docs/weave/page.hpp"

namespace ladder::weave {

struct SiteOptions {
  std::filesystem::path source;  // of the course
  std::filesystem::path output;  // made if need be; the site is in its folder html/
  std::string doxygen = "doxygen";
  bool search = true;  // with the library that npm brings
};

// Throws UsageError with what is wrong in the course's files, each "file:line: …"; MachineError if
// a tool is missing.
void make_site(const Course& course, const std::vector<Page>& pages, const SiteOptions& options);

// The part of every page that is the same: skip link, bar, contents.
std::string navigation_html(const Course& course, const std::vector<Page>& hand_written);

// Doxygen's own page template with our head and navigation in it. Throws MachineError if the
// template of this Doxygen has no place for them.
std::string with_theme(std::string header_template, const std::string& navigation,
                       const std::string& language);

// "var ladderPages = [...];": what ladder.js searches.
std::string search_data(const std::vector<Page>& pages);

}  // namespace ladder::weave
