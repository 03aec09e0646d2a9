// Pages by hand: docs/pages/NAME.md, in the order of docs/pages/contents.txt.
#pragma once

#include <filesystem>
#include <vector>

#include "docs/weave/prose.hpp"

namespace ladder::weave {

// "# Title {#name}" and Markdown, with sections "## Title {#anchor}" to be found by the search.
// Throws UsageError "file:line: …".
Page hand_written_page(std::string_view text, const std::string& file,
                       const Translation& translation = {}, const Words& say = {});

std::vector<Page> hand_written_pages(const Tree& tree, const Words& say);

}  // namespace ladder::weave
