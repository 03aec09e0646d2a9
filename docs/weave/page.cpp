#include "docs/weave/page.hpp"

#include <cstdlib>
#include <utility>

#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

namespace {

// Doxygen takes a % ahead of a letter, Chinese ones too, for a mark of its own.
std::string with_percent_signs(std::string text) {
  for (std::size_t at = 0; (at = text.find('%', at)) != std::string::npos; at += 2) {
    const bool ahead_of_letter =
        at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0x80;
    if (ahead_of_letter) text.insert(at, 1, '\\');
  }
  return text;
}

// Doxygen takes `a 'b' c` for a quotation that ends at an apostrophe, but ``a 'b' c`` for code.
std::string with_plain_code(const std::string& line) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t begin; (begin = line.find('`', at)) != std::string::npos;) {
    const std::size_t inside = line.find_first_not_of('`', begin);
    if (inside == std::string::npos) break;
    const std::size_t end = line.find('`', inside);
    if (inside - begin > 1 || end == std::string::npos) break;
    const std::string code = line.substr(inside, end - inside);
    const char* ticks = code.find('\'') == std::string::npos ? "`" : "``";
    text += with_percent_signs(line.substr(at, begin - at)) + ticks + code + ticks;
    at = end + 1;
  }
  return text + with_percent_signs(line.substr(at));
}

}  // namespace

Page::Page(std::string name, std::string title, Origin origin)
    : name_(std::move(name)), title_(std::move(title)) {
  // Doxygen's own name for the page that becomes index.html.
  add("# " + title_ + " {#" + (name_ == "index" ? "mainpage" : name_) + "}", std::move(origin));
  add("", {});
}

void Page::add(std::string_view line, Origin origin) {
  text_ += std::string(line) + "\n";
  origins_.push_back(std::move(origin));
}

void Page::markdown(std::string_view text, Origin origin) {
  bool fenced = false;  // code shows the mark as it is
  for (const std::string& line : lines_of(text)) {
    if (turns_fence(line)) fenced = !fenced;
    if (!fenced && is_picture_line(line)) {
      picture(line, origin);
    } else {
      this->line(line, origin, fenced);
    }
    if (origin.line > 0) ++origin.line;
  }
  add("", {});
}

void Page::picture(std::string_view line, const Origin& origin) {
  try {
    add("", {});
    html(picture_html(line));
  } catch (const UsageError& bad) {
    throw UsageError(origin.file + ":" + std::to_string(origin.line) + ": " + bad.what());
  }
}

void Page::line(const std::string& text, Origin origin, bool fenced) {
  add(fenced ? text : with_plain_code(text), std::move(origin));
}

void Page::rewrite(const Take& take) {
  Page changed = *this;
  changed.text_.clear();
  changed.origins_.clear();
  std::size_t number = 0;
  bool fenced = false;
  for (const std::string& line : lines_of(text_)) {
    const Origin& origin = origins_[number++];
    if (turns_fence(line)) fenced = !fenced;
    if (fenced || origin.line == 0 || !take(line, origin, changed)) changed.add(line, origin);
  }
  *this = std::move(changed);
}

void Page::heading(const std::string& title, const std::string& anchor) {
  add("## " + title + " {#" + anchor + "}", {});
  add("", {});
}

void Page::html(std::string_view html) {
  add("\\htmlonly[block]", {});
  for (const std::string& line : lines_of(html)) add(line, {});
  add("\\endhtmlonly", {});
  add("", {});
}

void Page::find(const std::string& anchor, const std::string& title, std::string features,
                std::string text) {
  search_.push_back({name_ + ".html" + (anchor.empty() ? "" : "#" + anchor), title,
                     std::move(features), std::move(text)});
}

void Page::find_elsewhere(std::string url, std::string title, std::string features,
                          std::string text) {
  search_.push_back({std::move(url), std::move(title), std::move(features), std::move(text)});
}

Origin Page::origin(int line) const {
  if (line < 1 || line > static_cast<int>(origins_.size())) return {};
  // A paragraph's warning may point behind its last line: the nearest line that has an author.
  for (int at = line; at >= 1; --at) {
    const Origin& found = origins_[static_cast<std::size_t>(at) - 1];
    if (found.line > 0) return found;
  }
  return {};
}

Origin Page::author(int line) const {
  if (line < 1 || line > static_cast<int>(origins_.size())) return {};
  return origins_[static_cast<std::size_t>(line) - 1];
}

namespace {

// ".../pages/x.md:12: warning: text" of one of the pages, said of its origin.
std::string explained(const std::string& line, const std::vector<Page>& pages) {
  const std::size_t end = line.find(".md:");
  if (end == std::string::npos) return line;
  const std::size_t slash = line.rfind('/', end);
  const std::string name = line.substr(slash == std::string::npos ? 0 : slash + 1,
                                       end - (slash == std::string::npos ? 0 : slash + 1));
  for (const Page& page : pages) {
    if (page.name() != name) continue;
    char* rest = nullptr;
    const long number = std::strtol(line.c_str() + end + 4, &rest, 10);
    const Origin origin = page.origin(static_cast<int>(number));
    if (origin.line == 0) return line;
    return origin.file + ":" + std::to_string(origin.line) + rest;
  }
  return line;
}

}  // namespace

std::string explain_warnings(std::string_view log, const std::vector<Page>& pages) {
  std::string text;
  for (const std::string& line : lines_of(log)) {
    const bool said = line.find(": warning: ") != std::string::npos ||
                      line.find(": error: ") != std::string::npos ||
                      line.rfind("error: ", 0) == 0 || line.rfind("warning: ", 0) == 0 ||
                      line.rfind("  ", 0) == 0;
    if (said) text += explained(line, pages) + "\n";
  }
  return text;
}

}  // namespace ladder::weave
