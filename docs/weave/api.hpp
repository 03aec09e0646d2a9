// The reference to common/: Doxygen's pages of the headers that learners include and of those where
// the course can be extended, in a folder of their own and in the site's theme.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "docs/weave/page.hpp"
#include "docs/weave/words.hpp"

namespace ladder::weave {

struct ApiHeader {
  std::string file;     // relative to the source tree
  std::string purpose;  // the comment that it begins with
  bool for_learners = false;
  // "api/check_8hpp.html"
  std::string page_file() const;
};
std::vector<ApiHeader> api_headers(const std::filesystem::path& source);

// The page that lists them.
Page api_page(const std::vector<ApiHeader>& headers, const Words& say);

// Of Doxygen's log, what is an error, "file:line: ..." each: everything but members without a word
// in headers that are not for learners.
std::string api_errors(std::string_view log, const std::vector<ApiHeader>& headers,
                       const std::string& source);

}  // namespace ladder::weave
