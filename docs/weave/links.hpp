// Links between the pages of a finished site.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "docs/weave/page.hpp"

namespace ladder::weave {

// The folders of a site that hold pages, "" for its own, "zh/", each with those that authors wrote.
using SiteFolders = std::map<std::string, std::vector<Page>>;

// "file:line: the link x.html#y leads nowhere" for each that does, with the place in the course's
// files where it was written, or the page's name if weave made it. Editions link each other, so all
// of them must be there.
std::vector<std::string> broken_links(const std::filesystem::path& html,
                                      const SiteFolders& folders);

}  // namespace ladder::weave
