// Links between the pages of a finished edition.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "docs/weave/page.hpp"

namespace ladder::weave {

// "file:line: the link x.html#y leads nowhere" for each that does, with the place in the course's
// files where it was written, or the page's name if weave made it. Links out of the folder `html`
// are taken on trust: other editions may not be made yet.
std::vector<std::string> broken_links(const std::filesystem::path& html,
                                      const std::vector<Page>& pages);

}  // namespace ladder::weave
