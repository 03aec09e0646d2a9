// From pages to a folder that a browser opens: Markdown on disk, Doxygen, theme, search, contents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "docs/weave/api.hpp"
#include "docs/weave/course.hpp"
#include "docs/weave/links.hpp"
#include "docs/weave/page.hpp"

namespace ladder::weave {

// A language that the site can be read in.
struct Edition {
  std::string language;  // of Words and of the folders with translations
  std::string tag;       // for <html lang>
  std::string name;      // in itself
  std::string folder;    // under html/, with a slash at its end; "" for English
  std::string doxygen;   // OUTPUT_LANGUAGE
};
const std::vector<Edition>& editions();  // English first

struct SiteOptions {
  std::filesystem::path source;  // of the course
  std::filesystem::path output;  // made if need be; the site is in its folder html/
  std::string weave;             // this program, which filters comments for Doxygen
  bool search = true;            // with the library that npm brings
  std::filesystem::path html() const { return output / "html"; }
};

// One edition; English first, because it empties the folder. Throws UsageError with what is wrong
// in the course's files, each "file:line: …"; MachineError if a tool is missing.
void make_site(const Course& course, const std::vector<Page>& pages, const Edition& edition,
               const SiteOptions& options);

// The reference to the headers, in html/api/; after the English edition. Throws UsageError for what
// Doxygen finds wrong, and for a public member without a word in a header for learners.
void make_api(const Course& course, const std::vector<Page>& pages,
              const std::vector<ApiHeader>& headers, const SiteOptions& options);

// Fills in what pages learn last.
void finish_edition(const Edition& edition, const SiteOptions& options);

// Once all editions are there. Throws UsageError "file:line: ..." for links that lead nowhere.
void follow_links(const SiteFolders& folders, const SiteOptions& options);

// The part of every page that is the same: skip link, bar, contents. `page_placeholder` stands for
// the page's own name, and is filled in last.
constexpr const char* page_placeholder = "KL_THIS_PAGE";
// `home` is the way to the edition's pages: "" or "../".
std::string navigation_html(const Course& course, const std::vector<Page>& hand_written,
                            const Edition& edition, const std::string& home = "");

// Doxygen's own page template with our head and navigation in it. Throws MachineError if the
// template of this Doxygen has no place for them.
std::string with_theme(std::string header_template, const std::string& navigation,
                       const Edition& edition, const std::string& home = "");

// "var ladderPages = [...];": what ladder.js searches.
std::string search_data(const std::vector<Page>& pages);

}  // namespace ladder::weave
