// Plain comments as Doxygen's: headers here are commented with `//`, for readers of the code, and
// the reference to them is made from the same words. `weave comments FILE` is Doxygen's input
// filter.
#pragma once

#include <string>
#include <string_view>

namespace ladder::weave {

// The same lines, so that warnings have the right ones:
//   - comments ahead of a declaration become "///", those behind one "///<", the first of the file
//     what the file is for; those in function bodies stay what they are;
//   - what Doxygen would take for commands, tags or links is escaped; examples, which are indented,
//     are code;
//   - members that are only "= delete" or "= default" are left out: there is nothing to say of them.
std::string doxygen_comments(std::string_view header);

// The comment that a header begins with, as Markdown.
std::string purpose_of(std::string_view header);

}  // namespace ladder::weave
