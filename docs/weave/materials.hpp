// What a page by hand may ask for besides Markdown, each in a line of its own:
//
//   @include README.md ## Related work   a section of another file (build/… for one that is made),
//                                        or without a heading all of it but its title
//   @code docs/pages/samples/race.cu     a file as a listing
//   @terminal ./ladder check 01.03       a command and what it answered when the site was made
//
// so that nothing is written twice, and no excerpt is typed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "docs/weave/page.hpp"
#include "docs/weave/terminal.hpp"
#include "docs/weave/words.hpp"

namespace ladder::weave {

struct Materials {
  std::filesystem::path source, build;
  Answers answers;
  // Which page a file of the repository has become: "CONTRIBUTING.md" -> "contributing.html".
  std::map<std::string, std::string> page_of_file;
  std::shared_ptr<const Words> words = std::make_shared<Words>();  // the edition's
};

// The page with all that it asks for. Throws UsageError "file:line: …" for what there is not.
void add_materials(Page& page, const Materials& materials);

// Links to files of the repository lead to their pages; without one, their words remain.
std::string with_site_links(const std::string& line,
                            const std::map<std::string, std::string>& page_of_file);

}  // namespace ladder::weave
