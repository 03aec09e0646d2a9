// The course's own Markdown on its way to a page, in the language of the edition.
#pragma once

#include <string>
#include <string_view>

#include "common/harness/translation.hpp"
#include "docs/weave/page.hpp"
#include "docs/weave/words.hpp"

namespace ladder::weave {

// Paragraph by paragraph: its translation; one of an earlier text, which says so and has the
// English beside it; or, where there is none, the English. Returns the text that a reader sees, for
// the search.
std::string add_prose(Page& page, const Translation& translation, const Words& say,
                      std::string_view text, const Origin& origin);

// "This page is not translated yet", if it is not.
void add_language_note(Page& page, const Translation& translation, const Words& say);

// "**a** *b*" as <strong> and <em>: Doxygen sees emphasis only between blanks, which Chinese lacks.
std::string emphasis_as_html(std::string_view text);

}  // namespace ladder::weave
