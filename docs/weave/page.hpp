// A page on its way to Doxygen: Markdown that knows, line by line, which file it came from, so that
// what Doxygen has to say about it can be said about that file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/translation.hpp"

namespace ladder::weave {

struct Origin {
  std::string file;  // relative to the source tree
  int line = 0;      // 0: made by weave, not written by anybody
};

// What the search index knows of a page's part.
struct SearchEntry {
  std::string url;  // "vector_add_step_05.html#vector_add_step_05_program"
  std::string title;
  std::string features;  // names that the page introduces
  std::string text;
};

class Page {
 public:
  // `name` is the page's address without ".html".
  Page(std::string name, std::string title, Origin origin);

  // Markdown; line i of it stands in line i of the origin and on. A line "@picture …" becomes the
  // picture. Throws UsageError "file:line: …" if there is no such picture.
  void markdown(std::string_view text, Origin origin);
  // One line of Markdown; `fenced`: of code between fences.
  void line(const std::string& text, Origin origin, bool fenced = false);
  void heading(const std::string& title, const std::string& anchor);
  // HTML that Doxygen passes on untouched. Never "\endhtmlonly" itself.
  void html(std::string_view html);
  // Where the page has something to find: at `anchor` ("" is its top).
  void find(const std::string& anchor, const std::string& title, std::string features,
            std::string text);
  // The same for a page that is not made by weave.
  void find_elsewhere(std::string url, std::string title, std::string features, std::string text);

  // `take` is shown each line that somebody wrote, with a page to put something else into; it says
  // whether it did.
  using Take = std::function<bool(const std::string& line, const Origin& origin, Page& into)>;
  void rewrite(const Take& take);
  // The text with other words in its lines, but as many of them.
  void replace_text(std::string text) { text_ = std::move(text); }

  // Of what the page takes from other files later.
  void set_translation(Translation translation) { translation_ = std::move(translation); }
  const Translation& translation() const { return translation_; }

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& text() const { return text_; }
  const std::vector<SearchEntry>& search() const { return search_; }
  // Of a line of text(), counted from 1; of one that weave made, that of the last before it that
  // somebody wrote.
  Origin origin(int line) const;
  // Likewise, but none of a line that weave made.
  Origin author(int line) const;

 private:
  void add(std::string_view line, Origin origin);
  void picture(std::string_view line, const Origin& origin);

  std::string name_, title_, text_;
  std::vector<Origin> origins_;
  std::vector<SearchEntry> search_;
  Translation translation_;
};

// Doxygen's log with each "…/pages/NAME.md:LINE: warning: …" said of the file that the line came
// from. Lines that are no warnings are dropped.
std::string explain_warnings(std::string_view log, const std::vector<Page>& pages);

}  // namespace ladder::weave
